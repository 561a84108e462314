/** A file of the model that is missing, damaged or of another kind; the message says which. */
export class FileError extends Error {
  name = "FileError";
}
