//! Where the 16 × 8 accumulator of a warp's matrix operation lies: element `j` of the four of each lane.
//!
//! A lane holds two neighbours of row `lane / 4` and the two below them, 8 rows further down (PTX ISA, "Matrix Fragments for
//! mma.m16n8k16").

/// Rows of the accumulator.
pub const ACC_ROWS: u32 = 16;
/// Columns of the accumulator.
pub const ACC_COLS: u32 = 8;
/// Elements that a lane holds.
pub const ACC_PER_LANE: u32 = 4;

/// The row and the column of a lane's element `j`.
#[inline]
pub const fn acc_coords(lane: u32, j: u32) -> (u32, u32) {
    (lane / 4 + j / 2 * 8, lane % 4 * 2 + j % 2)
}

/// The offset of a lane's element `j` in rows of `stride` elements.
#[inline]
pub const fn acc_offset(lane: u32, j: u32, stride: u32) -> u32 {
    acc_matrix_offset(lane, j, 0, 0, stride)
}

/// The offset of a lane's element `j` in a matrix with rows of `stride` elements, the accumulator's first element being that of `row` and
/// `col`.
#[inline]
pub const fn acc_matrix_offset(lane: u32, j: u32, row: u32, col: u32, stride: u32) -> u32 {
    let (own_row, own_col) = acc_coords(lane, j);
    (row + own_row) * stride + col + own_col
}

/// The lane and the `j` that hold the element of `row` and `col`: the inverse of [`acc_coords`].
#[inline]
pub const fn acc_decode(row: u32, col: u32) -> (u32, u32) {
    (row % 8 * 4 + col / 2, row / 8 * 2 + col % 2)
}

/// Whether a lane's element `j` lies in the first `rows` rows and `cols` columns, where a matrix ends inside the accumulator.
#[inline]
pub const fn acc_is_valid(lane: u32, j: u32, rows: u32, cols: u32) -> bool {
    let (row, col) = acc_coords(lane, j);
    row < rows && col < cols
}

/// The elements of a lane that are [valid](acc_is_valid), a bit for each `j`.
#[inline]
pub const fn acc_valid_mask(lane: u32, rows: u32, cols: u32) -> u32 {
    let (mut mask, mut j) = (0, 0);
    while j < ACC_PER_LANE {
        mask |= (acc_is_valid(lane, j, rows, cols) as u32) << j;
        j += 1;
    }
    mask
}

/// Whether every lane has the same [mask](acc_valid_mask), so that none of them branches another way.
#[inline]
pub const fn acc_mask_is_uniform(rows: u32, cols: u32) -> bool {
    // Of rows, lanes differ in the last three bits; of columns, in all but the last.
    rows == 0 || cols == 0 || ((rows == 8 || rows >= ACC_ROWS) && cols >= ACC_COLS)
}

/// The number of a lane's elements that are [valid](acc_is_valid).
#[inline]
pub const fn acc_valid_count(lane: u32, rows: u32, cols: u32) -> u32 {
    acc_valid_mask(lane, rows, cols).count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_has_one_place() {
        let mut seen = [false; (ACC_ROWS * ACC_COLS) as usize];
        for lane in 0..32 {
            for j in 0..ACC_PER_LANE {
                let (row, col) = acc_coords(lane, j);
                assert!(row < ACC_ROWS && col < ACC_COLS);
                assert_eq!(acc_decode(row, col), (lane, j));
                assert!(!core::mem::replace(&mut seen[acc_offset(lane, j, ACC_COLS) as usize], true));
                assert_eq!(acc_matrix_offset(lane, j, 32, 8, 100), (32 + row) * 100 + 8 + col);
            }
        }
        // As the PTX ISA draws it.
        assert_eq!([acc_coords(0, 1), acc_coords(5, 0), acc_coords(31, 3)], [(0, 1), (1, 2), (15, 7)]);
    }

    #[test]
    fn valid_elements() {
        for rows in 0..=ACC_ROWS + 1 {
            for cols in 0..=ACC_COLS + 1 {
                let masks = core::array::from_fn::<u32, 32, _>(|lane| acc_valid_mask(lane as u32, rows, cols));
                assert_eq!(acc_mask_is_uniform(rows, cols), masks.iter().all(|mask| *mask == masks[0]), "{rows} {cols}");
                let count: u32 = (0..32).map(|lane| acc_valid_count(lane, rows, cols)).sum();
                assert_eq!(count, rows.min(ACC_ROWS) * cols.min(ACC_COLS));
            }
        }
        assert_eq!((acc_valid_mask(0, 8, 1), acc_valid_mask(0, 9, 2)), (0b0001, 0b1111));
    }
}
