import { expect, it } from 'vitest';
import { detectMedia } from './detect-media.js';

const png = (width: number, height: number): Buffer => {
  const bytes = Buffer.alloc(33);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 0, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

it.each<readonly [string, Buffer, object]>([
  ['png', png(640, 480), { kind: 'picture', mediaType: 'image/png', width: 640, height: 480 }],
  ['gif', latin('GIF89a\x05\0\x07\0'), { kind: 'picture', mediaType: 'image/gif', width: 5, height: 7 }],
  [
    'jpeg, behind its other parts',
    latin('\xff\xd8\xff\xe0\0\x04ab\xff\xc4\0\x03c\xff\xff\xc2\0\x0b\x08\0\x02\0\x03\x01\x11\0'),
    { kind: 'picture', mediaType: 'image/jpeg', width: 3, height: 2 },
  ],
  [
    'webp',
    latin('RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x09\0\0\x13\0\0'),
    { kind: 'picture', mediaType: 'image/webp', width: 10, height: 20 },
  ],
  ['wav', latin('RIFF\0\0\0\0WAVEfmt '), { kind: 'sound', mediaType: 'audio/wav' }],
  ['mp3', latin('ID3\x04'), { kind: 'sound', mediaType: 'audio/mpeg' }],
  // Nothing else is drawn, whatever it says that it is.
  ['svg', latin('<svg xmlns="http://www.w3.org/2000/svg"><script>x()</script></svg>'), { kind: 'other' }],
  ['html', latin('<html><img src=x onerror=y>'), { kind: 'other' }],
  ['nothing', latin(''), { kind: 'other' }],
  ['a png that ends early', png(1, 1).subarray(0, 18), { kind: 'other' }],
  ['a jpeg without a size', latin('\xff\xd8\xff\xe0\0\x04ab\xff\xd9'), { kind: 'other' }],
  ['a jpeg that stands still', latin('\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0'), { kind: 'other' }],
  // A few bytes that would be drawn on gigabytes.
  ['a wide png', png(60_000, 1), { kind: 'other' }],
  ['a huge png', png(16_000, 16_000), { kind: 'other' }],
  ['an empty png', png(0, 5), { kind: 'other' }],
])('%s', (_name, bytes, look) => {
  expect(detectMedia(bytes)).toEqual(look);
});
