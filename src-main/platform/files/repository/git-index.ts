/** Finds which of the names in a repository's index Git tracks. */
const MAX_NAME_LENGTH = 0xfff;
const HASHES = [20, 32] as const;

interface ParsedIndex {
  readonly names: readonly string[];
  /** The hash, in hex, of another file with the rest of the names; null: there is none. */
  readonly shared: string | null;
}

/**
 * Parses Git's index, versions 2 to 4, as its format says; null where it can't be understood. The length of its hashes
 * is not written in it: an index that does not parse with one length does with the other.
 */
export function parseGitIndex(bytes: Buffer): ParsedIndex | null {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC') return null;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  for (const hash of HASHES) {
    const read = parseWithHash(bytes, version, hash);
    if (read !== null) return read;
  }
  return null;
}

function parseWithHash(bytes: Buffer, version: number, hash: number): ParsedIndex | null {
  const count = bytes.readUInt32BE(8);
  const end = bytes.length - hash;
  const names: string[] = [];
  let at = 12;
  let before: Buffer = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry += 1) {
    const flagsAt = at + 40 + hash;
    if (flagsAt + 2 > end) return null;
    const flags = bytes.readUInt16BE(flagsAt);
    const isExtended = (flags & 0x4000) !== 0;
    if (isExtended && version === 2) return null;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const cut = decodeVarint(bytes, nameAt, end);
      if (cut === null || cut.value > before.length) return null;
      kept = before.length - cut.value;
      nameAt = cut.next;
    }
    const nameEnd = bytes.indexOf(0, nameAt);
    if (nameEnd < 0 || nameEnd >= end) return null;
    const name = Buffer.concat([before.subarray(0, kept), bytes.subarray(nameAt, nameEnd)]);
    const said = flags & MAX_NAME_LENGTH;
    if (said < MAX_NAME_LENGTH && said !== name.length) return null;
    // An entry of the shared index that is only changed here has its name there.
    if (name.length > 0) names.push(name.toString('utf8'));
    before = name;
    // Filled up with zeros, one at least, to a multiple of eight; not so in the fourth version.
    at = version === 4 ? nameEnd + 1 : at + Math.ceil((nameEnd - at + 1) / 8) * 8;
  }
  return at > end ? null : { names, shared: findSharedIndex(bytes, at, end, hash) };
}

/**
 * Decodes Git's variable-length number of bytes to leave out: seven bits each, the highest first, one more for each
 * byte that follows.
 */
function decodeVarint(
  bytes: Buffer,
  from: number,
  end: number,
): { readonly value: number; readonly next: number } | null {
  let value = 0;
  for (let at = from; at < end && at < from + 4; at += 1) {
    const byte = bytes[at] ?? 0;
    value = at === from ? byte & 0x7f : ((value + 1) << 7) | (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, next: at + 1 };
  }
  return null;
}

function findSharedIndex(bytes: Buffer, from: number, end: number, hash: number): string | null {
  for (let at = from; at + 8 <= end;) {
    const size = bytes.readUInt32BE(at + 4);
    if (bytes.toString('latin1', at, at + 4) === 'link' && size >= hash) {
      const named = bytes.toString('hex', at + 8, at + 8 + hash);
      return /^0*$/u.test(named) ? null : named;
    }
    at += 8 + size;
  }
  return null;
}
