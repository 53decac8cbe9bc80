import { PICTURE_TYPES, type UnsentMessage } from '#contract/window/conversation/conversation.js';
import { formatBytes } from '../../../ui/text/format.js';

export type Picture = UnsentMessage['pictures'][number];

/** The largest picture, in base64, as it is sent. */
const LARGEST = 5_000_000;
/** The limit for all pictures of one message, which cross to the app in one piece. */
const LARGEST_TOGETHER = 7_000_000;
const MOST = 10;

const sizeOf = ({ base64 }: Picture): number => base64.length;

/** Adds pictures, or says why not. */
export function withPictures(
  known: readonly Picture[],
  added: readonly Picture[],
): { readonly pictures: readonly Picture[] } | { readonly problem: string } {
  const all = [...known, ...added];
  if (all.length > MOST) return { problem: `A message can hold ${MOST} pictures. Remove some first.` };
  const large = added.find((each) => sizeOf(each) > LARGEST);
  if (large !== undefined)
    return {
      problem: `This picture is ${formatBytes((sizeOf(large) * 3) / 4)}. The most is ${formatBytes((LARGEST * 3) / 4)}; make it smaller first.`,
    };
  const together = all.reduce((sum, each) => sum + sizeOf(each), 0);
  if (together > LARGEST_TOGETHER)
    return {
      problem: `These pictures are ${formatBytes((together * 3) / 4)} together. The most of one message is ${formatBytes((LARGEST_TOGETHER * 3) / 4)}.`,
    };
  return { pictures: all };
}

type PictureType = Picture['mediaType'];
const isPictureType = (type: string): type is PictureType => PICTURE_TYPES.some((known) => known === type);

export const holdsPictures = (data: DataTransfer): boolean => [...data.files].some(({ type }) => isPictureType(type));

/** The pictures among what was pasted or dropped. */
export async function picturesIn(data: DataTransfer): Promise<readonly Picture[]> {
  const files = [...data.files].filter(({ type }) => isPictureType(type));
  return await Promise.all(
    files.map(async (file) => ({ mediaType: file.type as PictureType, base64: await base64Of(file) })),
  );
}

async function base64Of(file: File): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('It could not be read.')));
    reader.readAsDataURL(file);
  });
  return url.slice(url.indexOf(',') + 1);
}
