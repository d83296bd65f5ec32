//! Where the 16 × 8 accumulator of a warp's matrix operation lies: element `j` of the four of each lane.
//!
//! A lane holds two neighbours of row `lane / 4` and the two below them, 8 rows further down (PTX ISA, "Matrix Fragments for
//! mma.m16n8k16"). All of it is constant:
//!
//! ```
//! use cuda_device::mma_frag::{acc_coords, acc_decode, acc_offset};
//!
//! const PLACE: (usize, usize) = acc_coords(5, 3);
//! assert_eq!(PLACE, (9, 3));
//! assert_eq!((acc_offset(5, 3), acc_decode(75)), (75, Some((5, 3))));
//! ```

/// Rows of the accumulator.
pub const ACC_ROWS: usize = 16;
/// Columns of the accumulator.
pub const ACC_COLS: usize = 8;
/// Elements that a lane holds.
pub const ACC_PER_LANE: usize = 4;
/// Lanes that hold the accumulator together.
pub const WARP_LANES: usize = 32;

/// The row and the column of a lane's element `j`.
#[inline]
pub const fn acc_coords(lane: usize, j: usize) -> (usize, usize) {
    (lane / 4 + j / 2 * 8, lane % 4 * 2 + j % 2)
}

/// The offset of a lane's element `j` in the accumulator alone, row by row: below 128.
#[inline]
pub const fn acc_offset(lane: usize, j: usize) -> usize {
    acc_matrix_offset(lane, j, 0, 0, ACC_COLS)
}

/// The offset of a lane's element `j` in a matrix with rows of `row_stride` elements, where the accumulator's first element is that of row
/// `tile_row` and column `tile_col`.
#[inline]
pub const fn acc_matrix_offset(lane: usize, j: usize, tile_row: usize, tile_col: usize, row_stride: usize) -> usize {
    let (row, col) = acc_coords(lane, j);
    (tile_row + row) * row_stride + tile_col + col
}

/// The lane and the `j` that hold the element at an [offset](acc_offset) in the accumulator: `None` beyond it.
#[inline]
pub const fn acc_decode(offset: usize) -> Option<(usize, usize)> {
    let (row, col) = (offset / ACC_COLS, offset % ACC_COLS);
    if row < ACC_ROWS { Some((row % 8 * 4 + col / 2, row / 8 * 2 + col % 2)) } else { None }
}

/// Whether a lane's element `j` lies in the first `rows` rows and `cols` columns, where a matrix ends inside the accumulator.
#[inline]
pub const fn acc_is_valid(lane: usize, j: usize, rows: usize, cols: usize) -> bool {
    let (row, col) = acc_coords(lane, j);
    row < rows && col < cols
}

/// The elements of a lane that are [valid](acc_is_valid), a bit for each `j`.
#[inline]
pub const fn acc_valid_mask(lane: usize, rows: usize, cols: usize) -> u32 {
    let (mut mask, mut j) = (0, 0);
    while j < ACC_PER_LANE {
        mask |= (acc_is_valid(lane, j, rows, cols) as u32) << j;
        j += 1;
    }
    mask
}

/// Whether a [mask](acc_valid_mask) has the same bit for all elements of its lane, so that they can be stored together or not at all.
#[inline]
pub const fn acc_mask_is_uniform(mask: u32) -> bool {
    mask == 0 || mask == (1 << ACC_PER_LANE) - 1
}

/// The number of elements of all lanes that are [valid](acc_is_valid).
#[inline]
pub const fn acc_valid_count(rows: usize, cols: usize) -> usize {
    (if rows < ACC_ROWS { rows } else { ACC_ROWS }) * (if cols < ACC_COLS { cols } else { ACC_COLS })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_has_one_place() {
        let mut seen = [false; ACC_ROWS * ACC_COLS];
        for lane in 0..WARP_LANES {
            for j in 0..ACC_PER_LANE {
                let (row, col) = acc_coords(lane, j);
                assert!(row < ACC_ROWS && col < ACC_COLS);
                let offset = acc_offset(lane, j);
                assert_eq!((offset, acc_decode(offset)), (row * ACC_COLS + col, Some((lane, j))));
                assert!(!core::mem::replace(&mut seen[offset], true));
                assert_eq!(acc_matrix_offset(lane, j, 32, 8, 100), (32 + row) * 100 + 8 + col);
            }
        }
        assert_eq!([128, 129, usize::MAX].map(acc_decode), [None; 3]);
        // As the PTX ISA draws it.
        assert_eq!([acc_coords(0, 1), acc_coords(5, 0), acc_coords(31, 3)], [(0, 1), (1, 2), (15, 7)]);
    }

    #[test]
    fn valid_elements() {
        for rows in 0..=ACC_ROWS + 1 {
            for cols in 0..=ACC_COLS + 1 {
                let mut count = 0;
                for lane in 0..WARP_LANES {
                    let (mask, valid) = (acc_valid_mask(lane, rows, cols), |j: &usize| acc_is_valid(lane, *j, rows, cols));
                    let of_lane = (0..ACC_PER_LANE).filter(valid).count();
                    assert_eq!(mask.count_ones() as usize, of_lane);
                    assert_eq!(acc_mask_is_uniform(mask), of_lane.is_multiple_of(ACC_PER_LANE));
                    count += of_lane;
                }
                assert_eq!(acc_valid_count(rows, cols), count, "{rows} {cols}");
            }
        }
        assert_eq!((acc_valid_mask(0, 8, 1), acc_valid_mask(0, 9, 2), acc_valid_mask(0, 8, 2)), (0b0001, 0b1111, 0b0011));
    }
}
