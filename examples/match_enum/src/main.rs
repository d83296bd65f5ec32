//! Sends an enum with payloads to the device, which matches on it, loops and returns early.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, DeviceCopy, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

/// A plane figure with whole coordinates.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
enum Shape {
    Empty,
    Square(u32),
    Rectangle { width: u32, height: u32 },
    Disc { radius: u32 },
    Triangle([(i32, i32); 3]),
}

// SAFETY: the first variant has number 0 and no payload, so zero bytes are a value, and the device
// stores no shapes.
unsafe impl DeviceCopy for Shape {}

impl Shape {
    /// The points with whole coordinates inside or on the border, for a triangle twice its area;
    /// `None` where the shape has no extent.
    fn measure(self) -> Option<u32> {
        match self {
            Shape::Empty | Shape::Square(0) => None,
            Shape::Square(side) => Some((side + 1) * (side + 1)),
            Shape::Rectangle { width, height } if width > 0 && height > 0 => {
                Some((width + 1) * (height + 1))
            }
            Shape::Rectangle { .. } => None,
            Shape::Disc { radius } => Some(points_in_disc(radius)),
            Shape::Triangle(corners) => twice_the_area(corners),
        }
    }
}

fn points_in_disc(radius: u32) -> u32 {
    let mut points = 0;
    for x in 0..=radius {
        let mut y = 0;
        while x * x + y * y <= radius * radius {
            // Each point off the axes stands for four, on one axis for two.
            points += if x == 0 { 1 } else { 2 } * if y == 0 { 1 } else { 2 };
            y += 1;
        }
    }
    points
}

fn twice_the_area(corners: [(i32, i32); 3]) -> Option<u32> {
    let mut area = 0;
    for i in 0..3 {
        let ((x0, y0), (x1, y1)) = (corners[i], corners[(i + 1) % 3]);
        if (x0, y0) == (x1, y1) {
            return None;
        }
        area += x0 * y1 - x1 * y0;
    }
    Some(area.unsigned_abs())
}

#[cuda_module]
mod kernels {
    use super::*;

    /// Measures each shape; `u32::MAX` where it has no extent.
    #[kernel]
    pub(crate) fn measure(shapes: &[Shape], mut measures: DisjointSlice<u32>) {
        let index = thread::index_1d();
        let i = index.get();
        let Some(measure) = measures.get_mut(index) else {
            return;
        };
        *measure = shapes[i].measure().unwrap_or(u32::MAX);
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let shapes = [
        Shape::Empty,
        Shape::Square(0),
        Shape::Square(4),
        Shape::Rectangle {
            width: 3,
            height: 5,
        },
        Shape::Rectangle {
            width: 3,
            height: 0,
        },
        Shape::Disc { radius: 0 },
        Shape::Disc { radius: 10 },
        Shape::Triangle([(0, 0), (4, 0), (0, -3)]),
        Shape::Triangle([(1, 1), (1, 1), (2, 5)]),
    ];

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let shapes_device = DeviceBuffer::from_host(&stream, &shapes)?;
    let mut measures = DeviceBuffer::<u32>::zeroed(&stream, shapes.len())?;
    // SAFETY: both buffers have one length, and the launch is one-dimensional.
    unsafe {
        module.measure(
            &stream,
            LaunchConfig::for_num_elems(shapes.len() as u32),
            &shapes_device,
            &mut measures,
        )
    }?;

    let mut exit = ExitCode::SUCCESS;
    for (shape, measure) in shapes.iter().zip(measures.to_host_vec(&stream)?) {
        let expected = shape.measure().unwrap_or(u32::MAX);
        println!("{shape:?}: {measure}");
        if measure != expected {
            eprintln!("FAILURE: got {measure}, expected {expected}");
            exit = ExitCode::FAILURE;
        }
    }
    if exit == ExitCode::SUCCESS {
        println!("SUCCESS: {} shapes", shapes.len());
    }
    Ok(exit)
}
