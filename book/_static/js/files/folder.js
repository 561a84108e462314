/** The address of a model's folder, wherever the site stands. */
export function folderOf(name) {
  return new URL(`../../${name}/`, import.meta.url);
}
