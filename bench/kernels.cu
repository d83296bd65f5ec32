// The kernels of bench/kernels.rs as nvcc compiles them: the same algorithms, line by line.

#define EACH 4

__device__ __forceinline__ float4 sum(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

extern "C" __global__ __launch_bounds__(256) void vecadd(const float4* a, const float4* b, float4* c, unsigned vectors) {
    size_t first = size_t(blockIdx.x) * 256 * EACH + threadIdx.x;
    if (first + 256 * (EACH - 1) < vectors) {
        float4 left[EACH], right[EACH];
        for (int k = 0; k < EACH; k++) {
            left[k] = a[first + 256 * k];
            right[k] = b[first + 256 * k];
        }
        for (int k = 0; k < EACH; k++) c[first + 256 * k] = sum(left[k], right[k]);
        return;
    }
    for (int k = 0; k < EACH; k++) {
        size_t i = first + 256 * k;
        if (i < vectors) c[i] = sum(a[i], b[i]);
    }
}

extern "C" __global__ __launch_bounds__(256) void copy(const float4* a, float4* c, unsigned vectors) {
    size_t i = blockIdx.x * 256 + threadIdx.x;
    if (i < vectors) c[i] = a[i];
}

__device__ __forceinline__ float warp_sum(float value) {
    for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(~0u, value, lanes);
    return value;
}

__device__ __forceinline__ float warp_max(float value) {
    for (int lanes = 16; lanes > 0; lanes /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, lanes));
    return value;
}

extern "C" __global__ __launch_bounds__(512) void total(const float4* a, float* out, unsigned vectors) {
    __shared__ float parts[16];
    size_t t = threadIdx.x, step = size_t(gridDim.x) * 512, i = size_t(blockIdx.x) * 512 + t;
    float sums[4] = {0, 0, 0, 0};
    while (i + 3 * step < vectors) {
        float4 four[4] = {a[i], a[i + step], a[i + 2 * step], a[i + 3 * step]};
        for (int k = 0; k < 4; k++) sums[k] += (four[k].x + four[k].y) + (four[k].z + four[k].w);
        i += 4 * step;
    }
    while (i < vectors) {
        float4 v = a[i];
        sums[0] += (v.x + v.y) + (v.z + v.w);
        i += step;
    }
    float of_warp = warp_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
    if (t % 32 == 0) parts[t / 32] = of_warp;
    __syncthreads();
    if (t < 32) {
        float all = warp_sum(t < 16 ? parts[t] : 0.0f);
        if (t == 0) atomicAdd(out, all);
    }
}

extern "C" __global__ __launch_bounds__(256) void transpose(const float* a, float* out, unsigned size) {
    __shared__ float tile[32 * 33];
    size_t n = size, x = threadIdx.x, y = threadIdx.y, column = size_t(blockIdx.x) * 32, row = size_t(blockIdx.y) * 32;
    for (int k = 0; k < 4; k++) tile[(y + 8 * k) * 33 + x] = a[(row + y + 8 * k) * n + column + x];
    __syncthreads();
    for (int k = 0; k < 4; k++) out[(column + y + 8 * k) * n + row + x] = tile[x * 33 + y + 8 * k];
}

template <class Combine> __device__ __forceinline__ float of_block(float* parts, float of_warp, float neutral, Combine combine) {
    unsigned t = threadIdx.x;
    if (t % 32 == 0) parts[t / 32] = of_warp;
    __syncthreads();
    float all = neutral;
    for (int k = 0; k < 8; k++) all = combine(all, parts[k]);
    return all;
}

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

extern "C" __global__ __launch_bounds__(256) void softmax(const float4* a, float4* out) {
    __shared__ float parts[16];
    size_t t = threadIdx.x, row = size_t(blockIdx.x) * 1024;
    float values[EACH][4];
    for (int k = 0; k < EACH; k++) *reinterpret_cast<float4*>(values[k]) = a[row + t + 256 * k];
    float most = -INFINITY;
    for (int k = 0; k < EACH; k++)
        for (int j = 0; j < 4; j++) most = fmaxf(most, values[k][j]);
    most = of_block(parts, warp_max(most), -INFINITY, [](float a, float b) { return fmaxf(a, b); });
    float all = 0;
    for (int k = 0; k < EACH; k++)
        for (int j = 0; j < 4; j++) {
            values[k][j] = ex2((values[k][j] - most) * 1.44269504088896340736f);
            all += values[k][j];
        }
    all = of_block(parts + 8, warp_sum(all), 0.0f, [](float a, float b) { return a + b; });
    float scale = 1.0f / all;
    for (int k = 0; k < EACH; k++)
        out[row + t + 256 * k] = make_float4(values[k][0] * scale, values[k][1] * scale, values[k][2] * scale, values[k][3] * scale);
}

extern "C" __global__ __launch_bounds__(256) void gemm_naive(const float* a, const float* b, float* c, unsigned size) {
    size_t column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y, n = size;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (size_t k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ __launch_bounds__(256) void gemm_tiled(const float* a, const float* b, float* c, unsigned size) {
    __shared__ float left[256], right[256];
    size_t x = threadIdx.x, y = threadIdx.y, column = size_t(blockIdx.x) * 16 + x, row = size_t(blockIdx.y) * 16 + y, n = size;
    float sum = 0;
    for (size_t tile = 0; tile < n; tile += 16) {
        left[y * 16 + x] = a[row * n + tile + x];
        right[y * 16 + x] = b[(tile + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += left[y * 16 + k] * right[k * 16 + x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
