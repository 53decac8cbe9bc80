import { dialog } from 'electron';
import type { NonTextPart } from '#contract/vocabulary/calls.js';
import { detectMedia } from '../domain/media/detect-media.js';
import { saveFile } from '../platform/files/save-file.js';
import type { ReadPicture } from '../window/app-protocol.js';
import { done, refuse } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import type { KeptBlobs } from '../journal/outputs/kept-blobs.js';
import type { WorkerJournalReader } from '../journal/reading/journal-reader.js';
import type { Shell } from './shell.js';

type PartReader = Pick<WorkerJournalReader, 'keptParts' | 'keptPart'>;

/** Access to the parts that sources gave, opened where they are stored sealed. */
export interface OpenedParts {
  readonly list: (callId: string) => Promise<readonly NonTextPart[]>;
  /** Null where it is not kept any more, is not what was recorded, or can't be opened. */
  readonly read: (callId: string, number: number) => Promise<Uint8Array | null>;
}

export function keptParts(reader: PartReader, blobs: Pick<KeptBlobs, 'opened'>): OpenedParts {
  const read = async (callId: string, number: number): Promise<Uint8Array | null> => {
    const kept = await reader.keptPart(callId, number);
    return kept === null ? null : blobs.opened(callId, number, kept);
  };
  /** Detects the kind of a part: what is sealed has no recognizable form until it is opened. */
  const looked = async (callId: string, part: NonTextPart): Promise<NonTextPart> => {
    if (!part.there || part.kind !== 'other') return part;
    const bytes = await read(callId, part.number);
    const { number } = part;
    return bytes === null
      ? { number, bytes: part.bytes, there: false, kind: 'other' }
      : { number, bytes: bytes.length, there: true, ...detectMedia(bytes) };
  };
  return {
    read,
    list: async (callId) => {
      const parts: NonTextPart[] = [];
      // One after another: each may be large.
      for (const part of await reader.keptParts(callId)) parts.push(await looked(callId, part));
      return parts;
    },
  };
}

const gone = refuse('not-found', 'It isn’t kept any more, or its file was changed since.');

/** Looked at again where it is drawn: only what is a picture goes as one. */
export const pictureOf =
  (kept: OpenedParts): ReadPicture =>
  async (callId, number) => {
    const bytes = await kept.read(callId, number);
    const look = bytes === null ? null : detectMedia(bytes);
    return bytes === null || look?.kind !== 'picture' ? null : { bytes, mediaType: look.mediaType };
  };

export const keptChannels = ({ window }: Pick<Shell, 'window'>, kept: OpenedParts) =>
  ({
    'calls.keptParts': async ({ callId }) => done(await kept.list(callId)),
    'calls.saveKept': async ({ callId, number }) => {
      const bytes = await kept.read(callId, number);
      if (bytes === null) return gone;
      const look = detectMedia(bytes);
      const { canceled, filePath } = await dialog.showSaveDialog(window.native, {
        title: 'Save stored output',
        defaultPath: `output-${number}.${look.kind === 'other' ? 'bin' : (ENDINGS[look.mediaType] ?? 'bin')}`,
      });
      if (canceled || filePath === '') return done({ file: null });
      try {
        await saveFile(filePath, bytes);
      } catch (error) {
        return refuse(
          'unavailable',
          `It could not be saved: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
      return done({ file: filePath });
    },
  }) satisfies Partial<Handlers>;

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
};
