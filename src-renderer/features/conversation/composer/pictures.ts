import { PICTURE_TYPES, type UnsentMessage } from '#contract/window/conversation/conversation.js';
import { formatBytes } from '../../../ui/text/format.js';

export type AttachedPicture = UnsentMessage['pictures'][number];

/** The largest picture, in base64, as it is sent. */
const MAX_PICTURE_SIZE = 5_000_000;
/** The limit for all pictures of one message, which cross to the app in one piece. */
const MAX_TOTAL_SIZE = 7_000_000;
const MAX_PICTURES = 10;

const measureBase64 = ({ base64 }: AttachedPicture): number => base64.length;

/** Adds pictures, or says why not. */
export function appendPictures(
  known: readonly AttachedPicture[],
  added: readonly AttachedPicture[],
): { readonly pictures: readonly AttachedPicture[] } | { readonly problem: string } {
  const all = [...known, ...added];
  if (all.length > MAX_PICTURES) return { problem: `A message can hold ${MAX_PICTURES} pictures. Remove some first.` };
  const large = added.find((each) => measureBase64(each) > MAX_PICTURE_SIZE);
  if (large !== undefined)
    return {
      problem: `This picture is ${formatBytes((measureBase64(large) * 3) / 4)}. The most is ${formatBytes((MAX_PICTURE_SIZE * 3) / 4)}; make it smaller first.`,
    };
  const together = all.reduce((sum, each) => sum + measureBase64(each), 0);
  if (together > MAX_TOTAL_SIZE)
    return {
      problem: `These pictures are ${formatBytes((together * 3) / 4)} together. The most of one message is ${formatBytes((MAX_TOTAL_SIZE * 3) / 4)}.`,
    };
  return { pictures: all };
}

type PictureType = AttachedPicture['mediaType'];
const isPictureType = (type: string): type is PictureType => PICTURE_TYPES.some((known) => known === type);

export const hasPictures = (data: DataTransfer): boolean => [...data.files].some(({ type }) => isPictureType(type));

/** The pictures among what was pasted or dropped. */
export async function readPictures(data: DataTransfer): Promise<readonly AttachedPicture[]> {
  const files = [...data.files].filter(({ type }) => isPictureType(type));
  return await Promise.all(
    files.map(async (file) => ({ mediaType: file.type as PictureType, base64: await encodeBase64(file) })),
  );
}

async function encodeBase64(file: File): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('It could not be read.')));
    reader.readAsDataURL(file);
  });
  return url.slice(url.indexOf(',') + 1);
}
