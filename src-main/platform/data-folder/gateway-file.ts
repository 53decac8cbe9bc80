import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { keptJson } from '../files/kept-json.js';

/** Where a running app can be reached: what `gateway.json` holds. Readable by the person alone, since it holds the token. */
const GatewayAddressSchema = Type.Object({
  url: Type.String(),
  token: Type.String(),
  pid: Type.Number(),
  version: Type.String(),
});
export type GatewayAddress = Readonly<Static<typeof GatewayAddressSchema>>;

/**
 * The gateway settings that outlive the app, so that a configuration copied into an agent keeps working after a
 * restart.
 */
const StoredGatewaySchema = Type.Object({
  token: Type.String({ minLength: 32 }),
  /** The port served last; tried first when the configuration leaves the choice open. */
  port: Type.Union([Type.Number(), Type.Null()]),
});
export type StoredGateway = Readonly<Static<typeof StoredGatewaySchema>>;

const addressPath = (dataDir: string): string => join(dataDir, 'gateway.json');
const addressFile = (dataDir: string) => keptJson(addressPath(dataDir), GatewayAddressSchema);
const keptFile = (dataDir: string) => keptJson(join(dataDir, 'gateway-token.json'), StoredGatewaySchema);

export const readGatewayAddress = (dataDir: string): GatewayAddress | null => addressFile(dataDir).read();

export function writeGatewayAddress(dataDir: string, address: GatewayAddress): void {
  mkdirSync(dataDir, { recursive: true });
  addressFile(dataDir).write(address);
}

/** Leaves the file of another process alone: a second app may have taken over since. */
export function removeGatewayAddress(dataDir: string, pid: number): void {
  if (readGatewayAddress(dataDir)?.pid === pid) rmSync(addressPath(dataDir), { force: true });
}

/**
 * A gateway.json that nobody removed is that of an app that was killed: whoever listens on its port since then may have
 * been given the token. So it is made anew; the port stays, since what is copied of it tells nobody anything.
 */
export function forgetUncleanGateway(dataDir: string): void {
  if (!existsSync(addressPath(dataDir))) return;
  const port = readStoredGateway(dataDir)?.port ?? null;
  writeStoredGateway(dataDir, { token: randomBytes(32).toString('base64url'), port });
  rmSync(addressPath(dataDir), { force: true });
}

export const readStoredGateway = (dataDir: string): StoredGateway | null => keptFile(dataDir).read();

export function writeStoredGateway(dataDir: string, kept: StoredGateway): void {
  mkdirSync(dataDir, { recursive: true });
  keptFile(dataDir).write(kept);
}
