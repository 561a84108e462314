/**
 * Matrices of numbers, and the few operations that a Transformer is made of.
 *
 * All numbers are doubles, as in Python's by_hand, and one kind of array is what browsers make
 * fast. A mask is a matrix, too: 1 where a query may attend, 0 where not.
 */

/** An argument's shape is not the one that its function declares. */
export class ShapeError extends Error {
  name = "ShapeError";
}

/** Numbers in rows of equal length. */
export class Matrix {
  /**
   * @param {number} rows
   * @param {number} cols
   * @param {Float64Array} [data] row after row; zeros if not given
   */
  constructor(rows, cols, data = new Float64Array(rows * cols)) {
    if (data.length !== rows * cols) {
      throw new ShapeError(`Matrix: ${data.length} numbers; expected ${rows} x ${cols}.`);
    }
    this.rows = rows;
    this.cols = cols;
    this.data = data;
  }

  /**
   * @param {ArrayLike<number>[]} lists rows of equal length
   * @returns {Matrix}
   */
  static of(lists) {
    const matrix = new Matrix(lists.length, lists[0]?.length ?? 0);
    lists.forEach((list, i) => {
      checkLength("Matrix.of", `row ${i}`, list, "columns", matrix.cols);
      matrix.row(i).set(list);
    });
    return matrix;
  }

  /** @returns {[number, number]} */
  get shape() {
    return [this.rows, this.cols];
  }

  /** @returns {number} the entry of row i and column j, both from 0 */
  at(i, j) {
    return this.data[i * this.cols + j];
  }

  /** @returns {Float64Array} row i, a view: what is written there is written here */
  row(i) {
    return this.data.subarray(i * this.cols, (i + 1) * this.cols);
  }

  /** @returns {number[][]} a copy */
  toLists() {
    return Array.from({ length: this.rows }, (_, i) => Array.from(this.row(i)));
  }
}

/**
 * @param {string} name of the function, for the error
 * @param {string} argument its name
 * @param {Matrix} matrix
 * @param {Object<string, ?number>} expected two sizes by their symbols; null is any size
 * @throws {ShapeError}
 */
export function checkShape(name, argument, matrix, expected) {
  const sizes = Object.values(expected);
  if (sizes.every((size, axis) => size === null || size === matrix.shape[axis])) return;
  const written = Object.entries(expected).map(([k, v]) => (v === null ? k : `${k}=${v}`));
  const [given, wanted] = [matrix.shape, written].map((list) => list.join(", "));
  throw new ShapeError(`${name}: ${argument} has shape (${given}); expected (${wanted}).`);
}

/** As checkShape, for a list of numbers. */
export function checkLength(name, argument, list, symbol, size) {
  if (list.length !== size) {
    throw new ShapeError(
      `${name}: ${argument} has shape (${list.length}); expected (${symbol}=${size}).`,
    );
  }
}

/** @returns {Matrix} A B, of shape (rows of A, columns of B) */
export function matmul(A, B) {
  checkShape("matmul", "B", B, { "columns of A": A.cols, columns: null });
  const product = new Matrix(A.rows, B.cols);
  const [{ data: a, cols: n }, { data: b, cols }, { data: sums }] = [A, B, product];
  for (let i = 0; i < A.rows; i++) {
    const row = i * cols;
    let [k, at] = [0, i * n];
    // Four rows of B at a time: each sum is read and written a quarter as often, which is faster.
    for (; k + 3 < n; k += 4, at += 4) {
      const [first, second, third, fourth] = [k, k + 1, k + 2, k + 3].map((r) => r * cols);
      const [a0, a1, a2, a3] = [a[at], a[at + 1], a[at + 2], a[at + 3]];
      for (let j = 0; j < cols; j++) {
        sums[row + j] +=
          a0 * b[first + j] + a1 * b[second + j] + a2 * b[third + j] + a3 * b[fourth + j];
      }
    }
    for (; k < n; k++, at++) {
      for (let j = 0; j < cols; j++) sums[row + j] += a[at] * b[k * cols + j];
    }
  }
  return product;
}

/** @returns {Matrix} A times the transpose of B: each row of A times each row of B, nothing is copied */
export function matmulTransposed(A, B) {
  checkShape("matmulTransposed", "B", B, { rows: null, "columns of A": A.cols });
  const product = new Matrix(A.rows, B.rows);
  const [{ data: a, cols: n }, { data: b }, { data: sums }] = [A, B, product];
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < B.rows; j++) {
      let [k, at, bt] = [0, i * n, j * n];
      // Four sums side by side: none has to wait for the one before.
      let [s0, s1, s2, s3] = [0, 0, 0, 0];
      for (; k + 3 < n; k += 4, at += 4, bt += 4) {
        s0 += a[at] * b[bt];
        s1 += a[at + 1] * b[bt + 1];
        s2 += a[at + 2] * b[bt + 2];
        s3 += a[at + 3] * b[bt + 3];
      }
      for (; k < n; k++, at++, bt++) s0 += a[at] * b[bt];
      sums[i * B.rows + j] = s0 + s1 + (s2 + s3);
    }
  }
  return product;
}

/** @returns {Matrix} rows become columns */
export function transpose(A) {
  const transposed = new Matrix(A.cols, A.rows);
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < A.cols; j++) transposed.data[j * A.rows + i] = A.data[i * A.cols + j];
  }
  return transposed;
}

/** @returns {Matrix} A + B, entry by entry */
export function add(A, B) {
  checkShape("add", "B", B, { rows: A.rows, columns: A.cols });
  return new Matrix(A.rows, A.cols, A.data.map((a, i) => a + B.data[i]));
}

/** @returns {Matrix} b added to each row of A */
export function addToRows(A, b) {
  checkLength("addToRows", "b", b, "columns", A.cols);
  return mapRows(A, (row) => row.map((a, j) => a + b[j]));
}

/** @returns {Matrix} f of each entry */
export function map(A, f) {
  return new Matrix(A.rows, A.cols, A.data.map((a) => f(a)));
}

/** @returns {Matrix} f of each row, a list of as many numbers */
export function mapRows(A, f) {
  const B = new Matrix(A.rows, A.cols);
  for (let i = 0; i < A.rows; i++) B.row(i).set(f(A.row(i)));
  return B;
}

/** @returns {Matrix} the rows from start to before end, a copy */
export function rows(A, start, end = A.rows) {
  return new Matrix(end - start, A.cols, A.data.slice(start * A.cols, end * A.cols));
}

/** @returns {Matrix} the columns from start to before end, a copy */
export function columns(A, start, end = A.cols) {
  const B = new Matrix(A.rows, end - start);
  for (let i = 0; i < A.rows; i++) B.row(i).set(A.row(i).subarray(start, end));
  return B;
}

/** @returns {Matrix} matrices of as many rows, side by side */
export function hstack(matrices) {
  const [{ rows: height }] = matrices;
  const all = new Matrix(height, matrices.reduce((sum, A) => sum + A.cols, 0));
  let start = 0;
  for (const A of matrices) {
    checkShape("hstack", "a matrix", A, { rows: height, columns: null });
    for (let i = 0; i < height; i++) all.row(i).set(A.row(i), start);
    start += A.cols;
  }
  return all;
}

/** @returns {Matrix} matrices of as many columns, one below the other */
export function vstack(matrices) {
  const [{ cols }] = matrices;
  const all = new Matrix(matrices.reduce((sum, A) => sum + A.rows, 0), cols);
  let start = 0;
  for (const A of matrices) {
    checkShape("vstack", "a matrix", A, { rows: null, columns: cols });
    all.data.set(A.data, start);
    start += A.data.length;
  }
  return all;
}
