import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binaryRoom, binaryText } from './binary-text.js';

describe('binaryText', () => {
  it('never passes the limit, and what it shows is the beginning of the file', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(300), fc.nat(1000), (all, limit, beyond) => {
        const size = all.byteLength + beyond;
        // As the tool reads: all there is, or more than there is room for.
        const head = beyond === 0 ? all : all.subarray(0, Math.min(all.byteLength, binaryRoom(limit) + 1));
        const { content, truncated, outputBytes, leftOut } = binaryText(head, size, limit);
        expect(content.length).toBeLessThanOrEqual(limit);
        expect(outputBytes).toBe(content.length + leftOut);
        if (!truncated) {
          expect(size).toBe(head.byteLength);
          expect(content).toBe(`[binary:base64]\n${Buffer.from(head).toString('base64')}`);
          expect(leftOut).toBe(0);
        } else if (limit >= 27) {
          const [header, body = ''] = content.split('\n');
          expect(header).toBe('[binary:base64][truncated]');
          const shown = Buffer.from(body, 'base64');
          expect(shown.equals(Buffer.from(all.subarray(0, shown.byteLength)))).toBe(true);
        }
      }),
    );
  });
});
