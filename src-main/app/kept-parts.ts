import { dialog } from 'electron';
import { mediaLook } from '../domain/media/media-look.js';
import type { ReadPicture } from '../window/app-protocol.js';
import { done, refuse } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import type { WorkerJournalReader } from '../journal/reading/journal-reader.js';
import type { Shell } from './shell.js';

type Reader = Pick<WorkerJournalReader, 'keptParts' | 'keptPart' | 'saveKeptPart'>;

const gone = refuse('not-found', 'It isn’t kept any more, or its file was changed since.');

/** Looked at again where it is drawn: only what is a picture goes as one. */
export const pictureOf =
  (reader: Reader): ReadPicture =>
  async (callId, number) => {
    const bytes = await reader.keptPart(callId, number);
    const look = bytes === null ? null : mediaLook(bytes);
    return bytes === null || look?.kind !== 'picture' ? null : { bytes, mediaType: look.mediaType };
  };

export const keptChannels = ({ window }: Pick<Shell, 'window'>, reader: Reader) =>
  ({
    'calls.keptParts': async ({ callId }) => done(await reader.keptParts(callId)),
    'calls.saveKept': async ({ callId, number }) => {
      const bytes = await reader.keptPart(callId, number);
      if (bytes === null) return gone;
      const look = mediaLook(bytes);
      const { canceled, filePath } = await dialog.showSaveDialog(window.native, {
        title: 'Save stored output',
        defaultPath: `output-${number}.${look.kind === 'other' ? 'bin' : (ENDINGS[look.mediaType] ?? 'bin')}`,
      });
      if (canceled || filePath === '') return done({ file: null });
      try {
        if (!(await reader.saveKeptPart(callId, number, filePath))) return gone;
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
