/** Which numbers of the example are known exactly; between others stands "≈". */

/**
 * Whether a cell, as it was computed, is its number but for rounding in the last bits. What softmax
 * made is not: no weight of three words is a decimal, even where the computer rounds it to 0 or 1.
 * @param {Object<string, number[][]>} all every matrix by its name
 * @param {string} name
 * @param {number} i
 * @param {number} j
 */
export function known(all, name, i, j) {
  if (name[0] === "A") return false;
  if (name === "H") return all.Z[i].every((_, k) => known(all, "Z", i, k));
  if (name[0] !== "Z") return true;
  // The average of equal values is that value, whatever the weights.
  const values = name === "Z" ? all.V1.map((row, k) => [...row, ...all.V2[k]]) : all[`V${name[1]}`];
  return values.every((row) => row[j] === values[0][j]);
}
