import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import { REDACTED } from '../text/redact.js';
import type { Asker } from '../call/asker.js';

/** Where a text came from that a model was given. The person's own taints nothing, and is not kept here. */
export type Origin = 'file' | 'tool' | 'upstream' | 'document';

/** A text that a model was given: by the file it is of, or the command that printed it. */
export interface GivenText {
  readonly name: string;
  readonly origin: Origin;
  /** Whether it is the text of a file in the folder that Git does not ignore: the person may trust such. */
  readonly ofFolder: boolean;
  /** A file of secrets, one outside the folder, or something in it that looked like a secret. */
  readonly isPrivate: boolean;
  /** The session of the receiver in which the text was given. */
  readonly session: string;
}

/** The same before somebody is given it: what a call said, or a file. */
export type AttributedText = Omit<GivenText, 'session'>;

/** The content of a file, by its bytes: their number and SHA-256, or their number alone where they are too many to be read. */
export interface FileContent {
  readonly size: number;
  readonly sha256: string | null;
}

/**
 * A file that a call left and that may hold somebody else's words, or a folder whose name may be: that ends with “/”. The content
 * is null where there is none, or it could not be read.
 */
export interface ForeignFile {
  readonly path: string;
  readonly content: FileContent | null;
}

/** The path that means everything in the folder. No file has that name. */
export const WHOLE_FOLDER = '/';

/** Describes what the person attached, as far as the part itself tells: whether Git ignores a file it can't tell. */
export function describeAttachment(
  part:
    | { readonly kind: 'picture' }
    | { readonly kind: 'file'; readonly path: string; readonly text: string }
    | ResourcePart,
): AttributedText {
  switch (part.kind) {
    case 'picture':
      return { name: 'a picture', origin: 'file', ofFolder: false, isPrivate: false };
    case 'file': {
      const { path, text } = part;
      const isPrivate = path.startsWith('/') || text.includes(REDACTED);
      return { name: toVisibleLine(path, 120), origin: 'file', ofFolder: false, isPrivate };
    }
    case 'resource': {
      const name = `${toVisibleLine(part.name, 80)} of ${part.source}`;
      return {
        name,
        origin: 'upstream',
        ofFolder: false,
        isPrivate: part.isOpened || part.text.includes(REDACTED),
      };
    }
  }
}

interface ResourcePart {
  readonly kind: 'resource';
  readonly source: string;
  readonly name: string;
  readonly isOpened: boolean;
  readonly text: string;
}

/** Time that a given text counts for without a call: a day, and not longer. */
export const GIVEN_FOR_MS = 24 * 60 * 60_000;

/** More names than anybody reads. What is given after that is noted where it makes things worse. */
const MAX_TEXTS = 500;

/**
 * Resolves the receiver that a text is given to: a conversation with its branches, an agent whatever sessions it opens,
 * else one connection. Null for the person, and for programs that ask with their token over HTTP.
 */
export function findReceiver({ door, agent, session }: Pick<Asker, 'door' | 'agent' | 'session'>): string | null {
  switch (door) {
    case 'window':
    case 'compose':
      return null;
    case 'conversation':
      return `conversation:${session}`;
    case 'mcp':
      return agent === null ? `connection:${session}` : `agent:${agent}`;
    case 'gateway':
      return agent === null ? null : `agent:${agent}`;
  }
}

/** Adds one text; returns the same list where that changes nothing. A text that was there keeps its place. */
export function addGivenText(texts: readonly GivenText[], text: GivenText): readonly GivenText[] {
  const at = texts.findIndex(({ name, origin }) => name === text.name && origin === text.origin);
  const known = texts[at];
  if (known !== undefined) {
    const both = {
      ...known,
      ofFolder: known.ofFolder && text.ofFolder,
      isPrivate: known.isPrivate || text.isPrivate,
    };
    return both.ofFolder === known.ofFolder && both.isPrivate === known.isPrivate ? texts : texts.with(at, both);
  }
  const isWorse =
    (text.isPrivate && !texts.some(({ isPrivate }) => isPrivate)) ||
    (!text.ofFolder && texts.every(({ ofFolder }) => ofFolder));
  return texts.length >= MAX_TEXTS && !isWorse ? texts : [...texts, text];
}
