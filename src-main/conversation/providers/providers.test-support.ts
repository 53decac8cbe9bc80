import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ModelEvent, ModelRequest } from '../../domain/ports/conversation/model.js';
import { createOutside, type OutsideTimes } from '../../outside/outside-client.js';
import type { ModelServer } from '../../tests/model-server/model-server.test-support.js';
import { PROVIDERS, type ServedProvider } from './provider-table.js';
import { type AfterEnd, createServedModel } from './served-model.js';

export const SERVED = Object.keys(PROVIDERS) as readonly ServedProvider[];
export const KEY = 'sk-very-secret-0123456789';

export const REQUEST: ModelRequest = {
  system: 'Use the tools.',
  history: [{ role: 'user', parts: [{ kind: 'text', text: 'Hello' }] }],
  tools: [
    {
      name: 'read_file',
      description: 'Reads a file.',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  ],
  toolChoice: 'auto',
  maxOutputTokens: 1000,
  temperature: null,
};

export interface AskOptions {
  readonly request?: ModelRequest;
  readonly signal?: AbortSignal;
  readonly times?: OutsideTimes;
  readonly baseUrl?: string;
  /** The seconds that were waited. */
  readonly slept?: number[];
  readonly now?: number;
  readonly onEvent?: (event: ModelEvent) => void;
  readonly afterEnd?: AfterEnd;
}

/** Every event of one answer, over real HTTP through the real client. */
export async function askModel(
  provider: ServedProvider,
  server: ModelServer,
  options: AskOptions = {},
): Promise<readonly ModelEvent[]> {
  const outside = createOutside({ secret: () => KEY, variable: () => null }, options.times);
  const baseUrl = options.baseUrl ?? server.baseUrl;
  const { keyHeader: header, keyPrefix: prefix } = PROVIDERS[provider];
  const model = createServedModel(
    { provider, baseUrl, model: 'scripted-1' },
    {
      outside,
      key: () => ({ header, prefix, from: 'secret:model', boundTo: baseUrl, asker: 'test' }),
      now: () => options.now ?? 0,
      ...(options.afterEnd === undefined ? {} : { afterEnd: options.afterEnd }),
      sleep: (ms, signal) => {
        options.slept?.push(ms);
        return signal.aborted ? Promise.reject(new Error('stopped')) : Promise.resolve();
      },
    },
  );
  const events: ModelEvent[] = [];
  for await (const event of model.answer(options.request ?? REQUEST, options.signal ?? new AbortController().signal)) {
    events.push(event);
    options.onEvent?.(event);
  }
  outside.close();
  return events;
}

export interface ReadBlock {
  readonly kind: string;
  readonly text: string;
  readonly id?: string;
  readonly name?: string;
  readonly isWhole: boolean;
  readonly kept: JsonObject | null;
}

/** The blocks that a listener builds from the events. */
export function blocksOf(events: readonly ModelEvent[]): readonly ReadBlock[] {
  const blocks = new Map<number, ReadBlock>();
  const change = (block: number, change_: (before: ReadBlock) => ReadBlock, kind: string): void => {
    blocks.set(block, change_(blocks.get(block) ?? { kind, text: '', isWhole: false, kept: null }));
  };
  for (const event of events) {
    if (event.type === 'text' || event.type === 'reasoning' || event.type === 'call-arguments')
      change(event.block, (before) => ({ ...before, text: before.text + event.text }), event.type);
    else if (event.type === 'call-began')
      change(event.block, (before) => ({ ...before, id: event.id, name: event.name }), 'call');
    else if (event.type === 'block-ended')
      change(event.block, (before) => ({ ...before, isWhole: true, kept: event.kept }), 'reasoning');
  }
  return [...blocks].sort(([one], [other]) => one - other).map(([, block]) => block);
}

export const lastOf = (events: readonly ModelEvent[]): ModelEvent | undefined => events.at(-1);
export const faultOf = (events: readonly ModelEvent[]): string => {
  const last = lastOf(events);
  return last?.type === 'failed' ? last.failure.fault : (last?.type ?? 'nothing');
};
export const messageOf = (events: readonly ModelEvent[]): string => {
  const last = lastOf(events);
  return last?.type === 'failed' ? last.failure.message : '';
};
