import { PICTURE_TYPES, type PictureType } from '#contract/window/conversation/conversation.js';

/** How a file of each kind begins. */
const BEGINNINGS: Readonly<Record<PictureType, RegExp>> = {
  'image/png': /^\x89PNG\r\n/u,
  'image/jpeg': /^\xff\xd8\xff/u,
  'image/gif': /^GIF8[79]a/u,
  'image/webp': /^RIFF.{4}WEBP/su,
};

/** Whether a picture's declared type and its first bytes agree. */
export const isPicture = (mediaType: PictureType, base64: string): boolean =>
  /^[A-Za-z0-9+/]+={0,2}$/u.test(base64) &&
  base64.length % 4 === 0 &&
  BEGINNINGS[mediaType].test(Buffer.from(base64.slice(0, 64), 'base64').toString('latin1'));

export const pictureType = (mediaType: string): PictureType | null =>
  PICTURE_TYPES.find((each) => each === mediaType) ?? null;
