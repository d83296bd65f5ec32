//! Matrices to read, by rows and columns.

use core::{marker::PhantomData, ptr};

/// A matrix to read, in rows of `stride` elements.
#[derive(Clone, Copy)]
pub struct MatrixView32<'a, T> {
    elements: &'a [T],
    stride: u32,
}

impl<'a, T> MatrixView32<'a, T> {
    /// The elements as rows of `stride`; the last may be shorter.
    #[inline]
    pub const fn new(elements: &'a [T], stride: u32) -> Self {
        Self { elements, stride }
    }

    /// The first `cols` elements of a row, `None` where the row or the matrix ends before.
    #[inline]
    pub fn row(&self, row: u32, cols: u32) -> Option<RowView32<'a, T>> {
        let start = row as usize * self.stride as usize;
        if size_of::<T>() == 0 || cols > self.stride || start + cols as usize > self.elements.len() {
            return None;
        }
        // SAFETY: in bounds.
        let first = unsafe { self.elements.as_ptr().add(start) };
        Some(RowView32 { first, stride: 1, length: cols, borrow: PhantomData })
    }

    /// The first `rows` elements of a column, `None` where the row or the matrix ends before.
    #[inline]
    pub fn col(&self, col: u32, rows: u32) -> Option<ColView32<'a, T>> {
        if size_of::<T>() == 0 || col >= self.stride {
            return None;
        }
        if rows == 0 {
            return Some(ColView32::empty());
        }
        let last = (rows - 1) as usize * self.stride as usize + col as usize;
        if last >= self.elements.len() {
            return None;
        }
        // SAFETY: in bounds, being at most the last.
        let first = unsafe { self.elements.as_ptr().add(col as usize) };
        Some(ColView32 { first, stride: self.stride, length: rows, borrow: PhantomData })
    }
}

macro_rules! lines {
    ($(#[$about:meta] $view:ident, #[$about_iterator:meta] $iterator:ident;)*) => {$(
        #[$about]
        pub struct $view<'a, T> {
            first: *const T,
            /// Elements from one to the next.
            stride: u32,
            length: u32,
            borrow: PhantomData<&'a [T]>,
        }

        impl<T> Clone for $view<'_, T> {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $view<'_, T> {}

        impl<'a, T> $view<'a, T> {
            /// No elements.
            #[inline]
            pub const fn empty() -> Self {
                Self { first: ptr::dangling(), stride: 1, length: 0, borrow: PhantomData }
            }

            /// The number of elements.
            #[inline]
            pub const fn len(&self) -> u32 {
                self.length
            }

            /// Whether there are none.
            #[inline]
            pub const fn is_empty(&self) -> bool {
                self.length == 0
            }
        }

        impl<'a, T: Copy> $view<'a, T> {
            /// The value of one, `None` where there are not so many.
            #[inline]
            pub fn get(&self, index: u32) -> Option<T> {
                if index >= self.length {
                    return None;
                }
                // SAFETY: at most the last element, which is in bounds.
                Some(unsafe { *self.first.add(index as usize * self.stride as usize) })
            }

            /// Their values in order.
            #[inline]
            pub fn iter(&self) -> $iterator<'a, T> {
                $iterator { line: *self, next: 0 }
            }
        }

        impl<'a, T: Copy> IntoIterator for $view<'a, T> {
            type Item = T;
            type IntoIter = $iterator<'a, T>;

            #[inline]
            fn into_iter(self) -> $iterator<'a, T> {
                self.iter()
            }
        }

        #[$about_iterator]
        pub struct $iterator<'a, T> {
            line: $view<'a, T>,
            next: u32,
        }

        impl<T: Copy> Iterator for $iterator<'_, T> {
            type Item = T;

            #[inline]
            fn next(&mut self) -> Option<T> {
                let value = self.line.get(self.next)?;
                self.next += 1;
                Some(value)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let left = (self.line.length - self.next) as usize;
                (left, Some(left))
            }
        }

        impl<T: Copy> ExactSizeIterator for $iterator<'_, T> {}
    )*};
}

lines! {
    /// Elements side by side.
    RowView32,
    /// The values of a row in order.
    RowIter32;
    /// Elements below each other.
    ColView32,
    /// The values of a column in order.
    ColIter32;
}

impl<'a, T: Copy> RowView32<'a, T> {
    /// This row with a column of the same length, or `None` where it has another.
    #[inline]
    pub fn zip_exact<U: Copy>(self, column: ColView32<'a, U>) -> Option<ZipView32<'a, T, U>> {
        (self.len() == column.len()).then_some(ZipView32 { row: self, column })
    }
}

/// A row and a column of one length.
#[derive(Clone, Copy)]
pub struct ZipView32<'a, T, U> {
    row: RowView32<'a, T>,
    column: ColView32<'a, U>,
}

impl<'a, T: Copy, U: Copy> ZipView32<'a, T, U> {
    /// The number of pairs.
    #[inline]
    pub const fn len(&self) -> u32 {
        self.column.length
    }

    /// Whether there are none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.column.length == 0
    }

    /// One pair, `None` where there are not so many.
    #[inline]
    pub fn get(&self, index: u32) -> Option<(T, U)> {
        let second = self.column.get(index)?;
        // SAFETY: the row is as long as the column.
        Some((unsafe { *self.row.first.add(index as usize) }, second))
    }

    /// The pairs in order.
    #[inline]
    pub fn iter(&self) -> ZipIter32<'a, T, U> {
        ZipIter32 { pairs: *self, next: 0 }
    }
}

impl<'a, T: Copy, U: Copy> IntoIterator for ZipView32<'a, T, U> {
    type Item = (T, U);
    type IntoIter = ZipIter32<'a, T, U>;

    #[inline]
    fn into_iter(self) -> ZipIter32<'a, T, U> {
        self.iter()
    }
}

/// The pairs of a row and a column in order.
pub struct ZipIter32<'a, T, U> {
    pairs: ZipView32<'a, T, U>,
    next: u32,
}

impl<T: Copy, U: Copy> Iterator for ZipIter32<'_, T, U> {
    type Item = (T, U);

    #[inline]
    fn next(&mut self) -> Option<(T, U)> {
        let pair = self.pairs.get(self.next)?;
        self.next += 1;
        Some(pair)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.pairs.len() - self.next) as usize;
        (left, Some(left))
    }
}

impl<T: Copy, U: Copy> ExactSizeIterator for ZipIter32<'_, T, U> {}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::{vec, vec::Vec};

    use super::*;

    #[test]
    fn rows_and_columns() {
        let numbers: Vec<u32> = (0..14).collect();
        let matrix = MatrixView32::new(&numbers, 4);
        let row = matrix.row(1, 3).unwrap();
        assert_eq!((row.iter().collect::<Vec<_>>(), row.get(2), row.get(3), row.len()), (vec![4, 5, 6], Some(6), None, 3));
        let column = matrix.col(1, 3).unwrap();
        assert_eq!(
            (column.iter().collect::<Vec<_>>(), column.get(2), column.get(3), column.iter().len()),
            (vec![1, 5, 9], Some(9), None, 3)
        );
        assert!(
            matrix.row(3, 2).is_some() && matrix.row(3, 3).is_none() && matrix.row(0, 5).is_none() && matrix.row(u32::MAX, 1).is_none()
        );
        assert!(
            matrix.col(1, 4).is_some() && matrix.col(2, 4).is_none() && matrix.col(4, 1).is_none() && matrix.col(0, u32::MAX).is_none()
        );
        assert!(matrix.col(0, 0).unwrap().is_empty() && matrix.row(0, 0).unwrap().is_empty());
        assert!(RowView32::<u32>::empty().iter().next().is_none() && ColView32::<u32>::empty().iter().next().is_none());
        let pairs = row.zip_exact(column).unwrap();
        assert_eq!(pairs.iter().map(|(a, b)| a * b).sum::<u32>(), 4 + 25 + 54);
        assert_eq!((pairs.len(), pairs.get(2), pairs.get(3)), (3, Some((6, 9)), None));
        assert!(row.zip_exact(matrix.col(0, 2).unwrap()).is_none());
        assert!(MatrixView32::new(&[(); 9], 3).row(0, 1).is_none() && MatrixView32::new(&[(); 9], 3).col(0, 1).is_none());
    }
}
