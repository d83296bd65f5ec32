//! Matrices on the host, in the order of tiles in which tensor cores read shared memory.
//!
//! A tile is [`TILE_SIZE`] × [`TILE_SIZE`] elements, 128 bytes of `f16`: a core matrix (PTX ISA, "Shared memory matrix layout", without
//! swizzling). The tiles of one column of tiles come one after another, then those of the next column.
//!
//! | | inside a tile | for |
//! | --- | --- | --- |
//! | K-major | row after row | matrices whose columns are summed over: A of M × K, B of N × K |
//! | MN-major | column after column | matrices whose rows are |

use half::f16;

/// The rows and the columns of a tile.
pub const TILE_SIZE: usize = 8;

/// Where the element of a row and a column is in K-major order.
///
/// # Panics
///
/// Where it is outside of the matrix, or the matrix is not whole tiles.
pub fn k_major_index(row: usize, col: usize, total_rows: usize, total_cols: usize) -> usize {
    tile(row, col, total_rows, total_cols) + (row % TILE_SIZE) * TILE_SIZE + col % TILE_SIZE
}

/// Where the element of a row and a column is in MN-major order.
///
/// # Panics
///
/// As [`k_major_index`].
pub fn mn_major_index(row: usize, col: usize, total_rows: usize, total_cols: usize) -> usize {
    tile(row, col, total_rows, total_cols) + (col % TILE_SIZE) * TILE_SIZE + row % TILE_SIZE
}

/// Where the tile of an element begins.
fn tile(row: usize, col: usize, total_rows: usize, total_cols: usize) -> usize {
    assert!(
        total_rows.is_multiple_of(TILE_SIZE) && total_cols.is_multiple_of(TILE_SIZE),
        "got a matrix of {total_rows} × {total_cols}, expected multiples of {TILE_SIZE}"
    );
    assert!(row < total_rows && col < total_cols, "got row {row} and column {col} of a matrix of {total_rows} × {total_cols}");
    let tiles_in_column = total_rows / TILE_SIZE;
    (col / TILE_SIZE * tiles_in_column + row / TILE_SIZE) * TILE_SIZE * TILE_SIZE
}

/// Copies a matrix from row-major into K-major order.
///
/// # Panics
///
/// Where the slices have other lengths than the matrix, or the matrix is not whole tiles.
pub fn to_k_major_f16(src: &[f16], dst: &mut [f16], rows: usize, cols: usize) {
    reorder(src, dst, rows, cols, k_major_index);
}

/// Copies a matrix from row-major into MN-major order.
///
/// # Panics
///
/// As [`to_k_major_f16`].
pub fn to_mn_major_f16(src: &[f16], dst: &mut [f16], rows: usize, cols: usize) {
    reorder(src, dst, rows, cols, mn_major_index);
}

fn reorder(src: &[f16], dst: &mut [f16], rows: usize, cols: usize, index: fn(usize, usize, usize, usize) -> usize) {
    for (what, length) in [("source", src.len()), ("destination", dst.len())] {
        assert_eq!(length, rows * cols, "elements of the {what}, and of a matrix of {rows} × {cols}");
    }
    for row in 0..rows {
        for col in 0..cols {
            dst[index(row, col, rows, cols)] = src[row * cols + col];
        }
    }
}

/// Prints where the elements of a matrix are in both orders, a line a row.
///
/// # Panics
///
/// Where the matrix is not whole tiles.
pub fn print_layout_indices(rows: usize, cols: usize) {
    for (name, index) in [("K-major", k_major_index as fn(usize, usize, usize, usize) -> usize), ("MN-major", mn_major_index)] {
        println!("{name}, {rows} × {cols}:");
        for row in 0..rows {
            let line: Vec<_> = (0..cols).map(|col| format!("{:4}", index(row, col, rows, cols))).collect();
            println!("{}", line.join(" "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_follow_each_other_down_a_column() {
        // 16 × 16: tile 1 is below tile 0, tile 2 right of it.
        assert_eq!((k_major_index(0, 1, 16, 16), k_major_index(1, 0, 16, 16)), (1, 8));
        assert_eq!((mn_major_index(0, 1, 16, 16), mn_major_index(1, 0, 16, 16)), (8, 1));
        for index in [k_major_index, mn_major_index] {
            assert_eq!((index(8, 0, 16, 16), index(0, 8, 16, 16), index(15, 15, 16, 16)), (64, 128, 255));
        }
    }

    #[test]
    fn every_element_has_its_place() {
        let (rows, cols) = (24, 16);
        let matrix: Vec<_> = (0..rows * cols).map(|i| f16::from_f32(i as f32)).collect();
        for (reorder, index) in [
            (to_k_major_f16 as fn(&[f16], &mut [f16], usize, usize), k_major_index as fn(_, _, _, _) -> _),
            (to_mn_major_f16, mn_major_index),
        ] {
            let mut tiles = vec![f16::NAN; rows * cols];
            reorder(&matrix, &mut tiles, rows, cols);
            for (i, element) in matrix.iter().enumerate() {
                assert_eq!(tiles[index(i / cols, i % cols, rows, cols)], *element);
            }
        }
    }

    #[test]
    #[should_panic(expected = "got a matrix of 8 × 12, expected multiples of 8")]
    fn a_tile_is_whole() {
        k_major_index(0, 0, 8, 12);
    }

    #[test]
    #[should_panic(expected = "elements of the destination")]
    fn lengths() {
        to_k_major_f16(&[f16::ZERO; 64], &mut [], 8, 8);
    }
}
