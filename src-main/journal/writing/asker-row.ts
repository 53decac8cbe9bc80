import type { Credential } from '#contract/vocabulary/calls.js';
import { type Asker, makeAsker } from '../../domain/call/asker.js';
import type { BatchRow } from './call-row.js';

export type AskerRow = Pick<BatchRow, 'door' | 'client' | 'agent' | 'tenant' | 'user' | 'credential' | 'sessionId'>;

/** An asker as a row of `batches` has it. */
export const toAskerRow = ({ door, client, agent, tenant, user, credential, session }: Asker): AskerRow => ({
  door,
  client,
  agent,
  tenant,
  user,
  credential: credential === null ? null : JSON.stringify(credential),
  sessionId: session,
});

export const readCredential = ({ credential }: Pick<AskerRow, 'credential'>): Credential | null =>
  credential === null ? null : (JSON.parse(credential) as Credential);

export const toAsker = (row: AskerRow): Asker =>
  makeAsker(row.door, row.sessionId, {
    client: row.client,
    agent: row.agent,
    tenant: row.tenant,
    user: row.user,
    credential: readCredential(row),
  });
