const MARK = 0;

/** `later`: the terminal is full, or one is on its way; with more of what it passes on there may be room. `never`: it can't be marked. */
export type PutMark = 'put' | 'later' | 'never';

/**
 * A zero byte that we write to the terminal ourselves, behind what the command has written: where it comes out, all before it has.
 * One byte goes in whole or not at all. Only where the command itself writes none: then it could not be told which is ours.
 */
export interface PlaceMarks {
  put(): PutMark;
  /** Takes the mark out of what the terminal passes on. */
  take(bytes: Buffer): { readonly before: Buffer; readonly isMarked: boolean; readonly after: Buffer };
}

export function createPlaceMarks(write: (bytes: Uint8Array) => PutMark): PlaceMarks {
  let isOnItsWay = false;
  let isTheirs = false;
  const none = Buffer.alloc(0);
  return {
    put() {
      if (isTheirs) return 'never';
      if (isOnItsWay) return 'later';
      const put = write(Uint8Array.of(MARK));
      isOnItsWay = put === 'put';
      return put;
    },
    take(bytes) {
      const at = isTheirs ? -1 : bytes.indexOf(MARK);
      if (at === -1 || !isOnItsWay) {
        isTheirs ||= at !== -1;
        return { before: bytes, isMarked: false, after: none };
      }
      isOnItsWay = false;
      const after = bytes.subarray(at + 1);
      isTheirs = after.includes(MARK);
      return { before: bytes.subarray(0, at), isMarked: true, after };
    },
  };
}
