import type { Folder, TrackedFiles } from '../../../../domain/commands/reading/folder.js';
import { sha256 } from '../../../../platform/digest.js';

/** The questions that a reading asked of the folder, each with the digest of its answer. While these stay the same, so does the reading. */
export interface ReadingInputs {
  /** Undefined where the list of files was not asked for. */
  readonly files?: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly tracked: Readonly<Record<string, string>>;
}

/** The same folder, which notes what is asked of it. */
export function recordInputs(folder: Folder): { readonly folder: Folder; readonly lookedAt: () => ReadingInputs } {
  const found: { files?: string; texts: Record<string, string>; tracked: Record<string, string> } = {
    texts: {},
    tracked: {},
  };
  return {
    lookedAt: () => found,
    folder: {
      roots: folder.roots,
      files() {
        const files = folder.files();
        found.files ??= digestOfFiles(files);
        return files;
      },
      text(path) {
        const text = folder.text(path);
        found.texts[path] ??= digestOfText(text);
        return text;
      },
      tracked(at) {
        const tracked = folder.tracked(at);
        found.tracked[at] ??= digestOfTracked(tracked);
        return tracked;
      },
    },
  };
}

/** Whether the folder answers as it did. */
export const areInputsUnchanged = ({ files, texts, tracked }: ReadingInputs, folder: Folder): boolean =>
  Object.entries(texts).every(([path, digest]) => digestOfText(folder.text(path)) === digest) &&
  Object.entries(tracked).every(([at, digest]) => digestOfTracked(folder.tracked(at)) === digest) &&
  (files === undefined || digestOfFiles(folder.files()) === files);

const NOTHING = 'nothing';

const digestOfText = (text: string | null): string => (text === null ? NOTHING : sha256(text));

// No name of a file has a NUL in it.
const digestOfFiles = (files: readonly string[] | null): string =>
  files === null ? NOTHING : sha256(files.toSorted().join('\0'));

const digestOfTracked = (tracked: TrackedFiles | null): string =>
  tracked === null ? NOTHING : sha256(`${tracked.top}\0\0${digestOfFiles(tracked.files)}`);
