/** The medium of some bytes by their own beginning, whatever their name says. */
export type DetectedMedia =
  | { readonly kind: 'picture'; readonly mediaType: string; readonly width: number; readonly height: number }
  | { readonly kind: 'sound'; readonly mediaType: string }
  | { readonly kind: 'other' };

/** The largest side of a picture. A small file can say that it is drawn on a surface of many gigabytes. */
const MAX_SIDE = 16_384;
const MAX_PIXELS = 40_000_000;

const OTHER_MEDIA: DetectedMedia = { kind: 'other' };

/**
 * Detects the medium of bytes. Pictures are of four kinds that are drawn and can run nothing; one too large to be drawn
 * counts as none.
 */
export function detectMedia(bytes: Uint8Array): DetectedMedia {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const picture = PICTURES.find(({ begins }) => begins.test(view.toString('latin1', 0, 16)));
    if (picture !== undefined) {
      const size = picture.sizeOf(view);
      return size !== null && canBeDrawn(size)
        ? { kind: 'picture', mediaType: picture.mediaType, ...size }
        : OTHER_MEDIA;
    }
  } catch (error) {
    // The file ends before its own header does.
    if (error instanceof RangeError) return OTHER_MEDIA;
    throw error;
  }
  const sound = SOUNDS.find(([, begins]) => begins.test(view.toString('latin1', 0, 16)));
  return sound === undefined ? OTHER_MEDIA : { kind: 'sound', mediaType: sound[0] };
}

interface PictureSize {
  readonly width: number;
  readonly height: number;
}

const canBeDrawn = ({ width, height }: PictureSize): boolean =>
  width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE && width * height <= MAX_PIXELS;

const PICTURES: readonly {
  readonly mediaType: string;
  readonly begins: RegExp;
  readonly sizeOf: (bytes: Buffer) => PictureSize | null;
}[] = [
  {
    mediaType: 'image/png',
    begins: /^\x89PNG\r\n.{6}IHDR/su,
    sizeOf: (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  },
  {
    mediaType: 'image/gif',
    begins: /^GIF8[79]a/u,
    sizeOf: (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  },
  { mediaType: 'image/jpeg', begins: /^\xff\xd8\xff/u, sizeOf: readJpegSize },
  { mediaType: 'image/webp', begins: /^RIFF.{4}WEBP/su, sizeOf: readWebpSize },
];

/** Walks from marker to marker until the one that says how large the picture is. */
function readJpegSize(bytes: Buffer): PictureSize | null {
  for (let at = 2; at + 9 <= bytes.length;) {
    if (bytes.readUInt8(at) !== 0xff) return null;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function readWebpSize(bytes: Buffer): PictureSize | null {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}

const SOUNDS: readonly (readonly [string, RegExp])[] = [
  ['audio/wav', /^RIFF.{4}WAVE/su],
  ['audio/mpeg', /^(?:ID3|\xff[\xf2\xf3\xfb])/u],
  ['audio/ogg', /^OggS/u],
  ['audio/flac', /^fLaC/u],
];
