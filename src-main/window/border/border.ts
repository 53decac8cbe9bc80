import {
  type ChannelName,
  CHANNELS,
  MAX_MESSAGE_BYTES,
  type RequestOf,
  type ResponseOf,
} from '#contract/window/channels.js';
import type { BridgeError, BridgeResult } from '#contract/window/result.js';
import { type Validator, compileValidator } from '../../platform/json-schema.js';

/** The handlers that main must have: one for every channel, or it does not compile. */
export type Handlers = {
  readonly [Name in ChannelName]: (request: RequestOf<Name>) => Promise<BridgeResult<ResponseOf<Name>>>;
};

export type ReportFault = (channel: string, error: unknown) => void;

const refuse = (code: BridgeError['code'], message: string): BridgeResult<never> => ({
  ok: false,
  error: { code, message },
});

type AnyHandler = (request: unknown) => Promise<BridgeResult<unknown>>;

/**
 * The border that everything the window says passes: size, name, hand, JSON, schema, in this order, and only then a
 * handler. Whether the sender is our own page is decided before this (register.ts). It never throws.
 */
export class Border {
  readonly #handlers: Handlers;
  readonly #report: ReportFault;
  readonly #validators = new Map<ChannelName, Validator<unknown>>();

  constructor(handlers: Handlers, report: ReportFault) {
    this.#handlers = handlers;
    this.#report = report;
  }

  async answer(name: unknown, json: unknown, byHand: boolean): Promise<BridgeResult<unknown>> {
    if (typeof name !== 'string' || typeof json !== 'string') return refuse('bad-request', 'This is not a request.');
    if (json.length > MAX_MESSAGE_BYTES || Buffer.byteLength(json) > MAX_MESSAGE_BYTES) {
      return refuse(
        'bad-request',
        `This is larger than the window may send (${MAX_MESSAGE_BYTES / 1024 / 1024} MiB). Make it smaller.`,
      );
    }
    if (!isChannel(name)) return refuse('bad-request', `There is no channel “${name.slice(0, 100)}”.`);
    if (CHANNELS[name].byHand && !byHand) return refuse('refused', 'This takes your own click or key. Do it again.');
    let request: unknown;
    try {
      request = JSON.parse(json);
    } catch {
      return refuse('bad-request', `The request to ${name} is not JSON.`);
    }
    const checked = this.#validator(name)(request);
    if (!checked.ok) {
      const [problem] = checked.problems;
      return refuse('bad-request', `The request to ${name} is not valid: ${problem?.path} ${problem?.message}.`);
    }
    try {
      return await (this.#handlers[name] as AnyHandler)(checked.value);
    } catch (error) {
      this.#report(name, error);
      return refuse('internal', 'Something went wrong inside Gatehouse. It was logged; try again.');
    }
  }

  #validator(name: ChannelName): Validator<unknown> {
    const existing = this.#validators.get(name);
    if (existing !== undefined) return existing;
    const made = compileValidator(CHANNELS[name].request) as Validator<unknown>;
    this.#validators.set(name, made);
    return made;
  }
}

/** Whether a name is a channel. Own properties only: `constructor` and `__proto__` are no channels. */
const isChannel = (name: string): name is ChannelName => Object.hasOwn(CHANNELS, name);
