import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** Where a running app can be reached: what `gateway.json` holds. Readable by the person alone, since it holds the token. */
export interface GatewayAddress {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly version: string;
}

/**
 * The gateway settings that outlive the app, so that a configuration copied into an agent keeps working after a
 * restart.
 */
export interface StoredGateway {
  readonly token: string;
  /** The port served last; tried first when the configuration leaves the choice open. */
  readonly port: number | null;
}

const addressFile = (dataDir: string): string => join(dataDir, 'gateway.json');
const keptFile = (dataDir: string): string => join(dataDir, 'gateway-token.json');

export function readGatewayAddress(dataDir: string): GatewayAddress | null {
  const value = readJson(addressFile(dataDir));
  if (value === null) return null;
  const { url, token, pid, version } = value;
  if (typeof url !== 'string' || typeof token !== 'string' || typeof pid !== 'number' || typeof version !== 'string')
    return null;
  return { url, token, pid, version };
}

export function writeGatewayAddress(dataDir: string, address: GatewayAddress): void {
  writePrivately(addressFile(dataDir), address);
}

/** Leaves the file of another process alone: a second app may have taken over since. */
export function removeGatewayAddress(dataDir: string, pid: number): void {
  if (readGatewayAddress(dataDir)?.pid === pid) rmSync(addressFile(dataDir), { force: true });
}

/**
 * A gateway.json that nobody removed is that of an app that was killed: whoever listens on its port since then may have
 * been given the token. So it is made anew; the port stays, since what is copied of it tells nobody anything.
 */
export function forgetUncleanGateway(dataDir: string): void {
  if (!existsSync(addressFile(dataDir))) return;
  const port = readStoredGateway(dataDir)?.port ?? null;
  writeStoredGateway(dataDir, { token: randomBytes(32).toString('base64url'), port });
  rmSync(addressFile(dataDir), { force: true });
}

export function readStoredGateway(dataDir: string): StoredGateway | null {
  const value = readJson(keptFile(dataDir));
  if (value === null) return null;
  const { token, port } = value;
  if (typeof token !== 'string' || token.length < 32) return null;
  return { token, port: typeof port === 'number' ? port : null };
}

export function writeStoredGateway(dataDir: string, kept: StoredGateway): void {
  writePrivately(keptFile(dataDir), kept);
}

function readJson(file: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    // Absent, unreadable or half-written by something else: to a reader all of these mean “nobody serves”.
    return null;
  }
}

/** Whole or not at all, and never readable by others, not even for a moment. */
function writePrivately(file: string, value: object): void {
  mkdirSync(join(file, '..'), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(handle, `${JSON.stringify(value)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}
