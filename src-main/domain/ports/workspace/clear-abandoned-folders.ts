/**
 * Removes what a process that is gone left in `parent`: private folders with the names that `isAbandoned` knows, and in
 * them the files that `isFileOfOurs` knows. A folder that is somebody else's, open to others, or a link is left, and so
 * is one that holds anything else: each is entered by its handle and no link is followed, so a folder swapped meanwhile
 * loses nothing.
 */
export type ClearAbandonedFolders = (
  parent: string,
  isAbandoned: (name: string) => boolean,
  isFileOfOurs: (name: string) => boolean,
) => Promise<void>;
