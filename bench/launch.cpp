// What a launch costs through the driver API in C++: bench/launch.py builds and runs it.
// usage: launch PTX EMPTY FOUR ROUNDS      prints the microseconds of a launch of each of the two kernels
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>

static void check(CUresult result, const char *call) {
    if (result != CUDA_SUCCESS) {
        std::fprintf(stderr, "%s: error %d\n", call, static_cast<int>(result));
        std::exit(1);
    }
}

static double launches(CUfunction function, void **arguments, int rounds) {
    double best = 1e9;
    for (int repeat = 0; repeat < 20; ++repeat) {
        check(cuCtxSynchronize(), "cuCtxSynchronize");
        auto start = std::chrono::steady_clock::now();
        for (int round = 0; round < rounds; ++round)
            check(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), "cuLaunchKernel");
        double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        best = seconds < best ? seconds : best;
    }
    return best / rounds * 1e6;
}

int main(int, char **argv) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction empty, four;
    CUdeviceptr x, y;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuModuleLoad(&module, argv[1]), "cuModuleLoad");
    check(cuModuleGetFunction(&empty, module, argv[2]), "cuModuleGetFunction");
    check(cuModuleGetFunction(&four, module, argv[3]), "cuModuleGetFunction");
    check(cuMemAlloc(&x, 4096), "cuMemAlloc");
    check(cuMemAlloc(&y, 4096), "cuMemAlloc");
    unsigned n = 32;
    float a = 2.0f;
    void *arguments[] = {&n, &a, &x, &y};
    int rounds = std::atoi(argv[4]);
    launches(empty, nullptr, rounds);
    std::printf("%.3f %.3f\n", launches(empty, nullptr, rounds), launches(four, arguments, rounds));
}
