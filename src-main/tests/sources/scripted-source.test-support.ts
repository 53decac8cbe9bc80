import type { GuardCall } from '../../domain/ports/workspace/workspace-watch.js';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import { NO_NETWORK } from '#contract/vocabulary/network.js';
import type {
  MakeSource,
  Offer,
  OfferedOperation,
  Source,
  SourceAnswer,
  SourceInvocation,
} from '../../domain/ports/sources/source.js';
import { Listeners } from '../../platform/listeners.js';
import {
  type AcceptedSource,
  serializeAccepted,
  NOTHING_ACCEPTED,
  readAccepted,
} from '../../tools/sources/catalog/source-acceptance.js';
import { SourceCatalog } from '../../tools/sources/catalog/source-catalog.js';
import type { ToolRegistry } from '../../tools/registry/registry.js';
import { defaultConfig } from '../gate/default-config.test-support.js';

export function operation(name: string, more: Partial<OfferedOperation> = {}): OfferedOperation {
  const description = more.description ?? `Does ${name}.`;
  const inputSchema: Json = more.inputSchema ?? { type: 'object', properties: { text: { type: 'string' } } };
  return {
    operation: name,
    toolId: null,
    version: '1.2.3',
    title: name,
    description,
    inputSchema,
    outputSchema: null,
    claims: { readOnly: false, destructive: false, idempotent: false, openWorld: true, requiresApproval: false },
    pinned: { name, description, inputSchema },
    timeoutMs: null,
    lifecycle: null,
    ...more,
  };
}

/** What a source would say and do, as a test has it: for what no real server can be made to do at the right moment. */
export class Scripted {
  offer: Offer;
  readonly calls: SourceInvocation[] = [];
  readonly changes = new Listeners();
  identity: JsonObject = { command: 'scripted' };
  problem: Error | null = null;
  isToBeFetched = false;
  terms: ReturnType<Source['termsFor']> = {
    process: null,
    network: { ...NO_NETWORK, reach: 'hosts', hosts: ['api.example:443'], by: 'settings' },
    paths: 'none',
    secrets: ['github'],
  };
  asked = 0;
  answer: (invocation: SourceInvocation) => Promise<SourceAnswer> = async () => answered('done');

  constructor(...operations: readonly OfferedOperation[]) {
    this.offer = { ownName: 'scripted', operations, refused: [] };
  }

  offers(...operations: readonly OfferedOperation[]): void {
    this.offer = { ...this.offer, operations };
  }

  readonly make: MakeSource = ({ name, settings }): Source => ({
    name,
    kind: settings.kind,
    identity: this.identity,
    isToBeFetched: this.isToBeFetched,
    offer: async () => {
      this.asked += 1;
      if (this.problem !== null) throw this.problem;
      return this.offer;
    },
    termsFor: () => this.terms,
    call: (invocation) => {
      this.calls.push(invocation);
      return this.answer(invocation);
    },
    state: () => ({ running: 'running', problem: null, complaints: '', confinement: null }),
    onChange: (listener) => this.changes.add(listener),
    close: async () => undefined,
  });
}

export const answered = (content: string, structured: Json | null = null): SourceAnswer => ({
  content,
  structured,
  storedOutputs: [],
  confinement: null,
  warnings: [],
});

export interface TestCatalog {
  readonly catalog: SourceCatalog;
  /** As they are on the disk. */
  readonly kept: Map<string, string>;
  readonly changed: () => number;
  readonly follow: (sources: JsonObject) => Promise<void>;
}

/** A catalog whose accepted definitions are kept as text, as on the disk. */
export function catalogOf(
  registry: Pick<ToolRegistry, 'replaceForeign'>,
  { make }: Pick<Scripted, 'make'>,
  {
    kept = new Map<string, string>(),
    now = 0,
    guardCall = unguarded,
  }: { readonly kept?: Map<string, string>; readonly now?: number; readonly guardCall?: GuardCall } = {},
): TestCatalog {
  let changes = 0;
  const catalog = new SourceCatalog({
    isDenied: () => false,
    guardCall,
    kinds: { mcp: make, openapi: make, program: make },
    dataFolder: '/nowhere',
    registry,
    kept: {
      find: (name): AcceptedSource => (kept.has(name) ? readAccepted(kept.get(name) ?? '') : NOTHING_ACCEPTED),
      keep: (name, accepted) => void kept.set(name, serializeAccepted(accepted)),
    },
    keepOutput: () => Promise.reject(new Error('nothing is kept here')),
    confinementTried: () => Promise.resolve(),
    mayBeWritten: (path) => path.startsWith('/open/'),
    now: () => now,
    onChange: () => (changes += 1),
  });
  catalog.begin();
  return {
    catalog,
    kept,
    changed: () => changes,
    follow: async (sources) => {
      catalog.follow({ ...defaultConfig(), sources: sources as never });
      for (const { followed } of catalog.all) await followed?.refresh();
    },
  };
}

export const source = (more: JsonObject = {}): JsonObject => ({
  kind: 'mcp',
  command: 'scripted',
  definitions: 'first',
  ...more,
});

/** Where nothing is started that could write to a folder. */
export const unguarded: GuardCall = () => Promise.reject(new Error('nothing is started here'));
