import type { IncomingHttpHeaders } from 'node:http';
import Type, { type Static, type TSchema } from 'typebox';
import type { Bearer } from '../../domain/call/asker.js';

/**
 * How a door gives the gateway its routes. What a route takes and what it answers stand in one value: the schemas that
 * `/v1/openapi.json` shows are the ones that validate what comes in, and that hold what goes out by type.
 */
export interface RouteFacts<
  Parameters extends Properties = Properties,
  Query extends Properties = Properties,
  Body extends TSchema = TSchema,
  Answers extends AnswersByStatus = AnswersByStatus,
> {
  readonly method: 'GET' | 'POST';
  /** `/v1/calls/{callId}`; a name in braces stands for a part of one segment, so that `/v1/tools/{tool_id}:run` can be said. */
  readonly path: string;
  /** Unique among all routes; what a client that is made from the document calls it. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Every name in braces, each a string. */
  readonly parameters?: Parameters;
  /**
   * The parameters after `?`. Numbers and booleans are read as such; an empty text counts as not given; others are
   * ignored.
   */
  readonly query?: Query;
  /** JSON. Left out: no body is read. */
  readonly body?: Body;
  /**
   * The answers of its handler. Those that the gateway itself gives on every route (401, 403, 404, 408 …) are added in
   * the document.
   */
  readonly answers: Answers;
  /**
   * Set where it uses the journal's reading thread, of which there is one: an agent may have only so many of these
   * under way.
   */
  readonly readsRecord?: boolean;
  /** Set where it requests calls: an agent may have only so much recorded in a minute. */
  readonly asksForCalls?: boolean;
  /** How it says 400 in its own words, of what can’t be read at all, too. Left out: `{"error":{"code":"BadRequest","message"}}`. */
  readonly onMalformed?: (malformed: Malformed) => RouteAnswer;
}

export type Properties = Readonly<Record<string, TSchema>>;

export interface AnswerFacts {
  readonly description: string;
  readonly schema: TSchema;
}

export type AnswersByStatus = Readonly<Record<number, AnswerFacts>>;

/** Why a request was not handed to its route. */
export interface Malformed {
  readonly in: 'json' | 'body' | 'query';
  /** Where in it, as a JSON pointer; for a query its name. Empty for all of it. */
  readonly at: string;
  /** A sentence: what is wrong, where, and what would be right. */
  readonly message: string;
  /** The body as it came, where it could be parsed. */
  readonly body: unknown;
  /** The parameters of the path, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly bearer: Bearer;
}

export interface RouteRequest<Parameters = unknown, Query = unknown, Body = unknown> {
  readonly parameters: Parameters;
  readonly query: Query;
  readonly body: Body;
  readonly headers: IncomingHttpHeaders;
  readonly bearer: Bearer;
  /** The origin that the caller reached, for addresses that are given back. */
  readonly origin: string;
  /** Fires when the caller leaves before it has its answer, or nobody is served any more; its reason is a sentence that says which. */
  readonly left: AbortSignal;
}

export interface RouteAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly facts: RouteFacts;
  readonly answer: (request: RouteRequest) => Promise<RouteAnswer> | RouteAnswer;
}

type ObjectShape<Of extends Properties> = Static<ReturnType<typeof Type.Object<Of>>>;

type RequestInput<T> = T extends (infer Item)[]
  ? readonly RequestInput<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: RequestInput<T[Key]> }
    : T;

type AnswerOf<Answers extends AnswersByStatus> = {
  [Status in keyof Answers & number]: {
    readonly status: Status;
    readonly body: RequestInput<Static<Answers[Status]['schema']>>;
    readonly headers?: Readonly<Record<string, string>>;
  };
}[keyof Answers & number];

/**
 * Builds a route from its facts and its handler. The handler gets only valid input; its answers are held to `answers`
 * by type.
 */
export function route<
  const Parameters extends Properties,
  const Query extends Properties,
  const Body extends TSchema,
  const Answers extends AnswersByStatus,
>(
  facts: RouteFacts<Parameters, Query, Body, Answers>,
  answer: (
    request: RouteRequest<ObjectShape<Parameters>, ObjectShape<Query>, Static<Body>>,
  ) => Promise<AnswerOf<Answers>> | AnswerOf<Answers>,
): Route {
  return { facts, answer: answer as Route['answer'] };
}

/** The contract's shape of an error, where a dialect has none of its own. */
export const ErrorSchema = Type.Object(
  { error: Type.Object({ code: Type.String(), message: Type.String() }) },
  { description: 'What went wrong, and what to do.' },
);

/** Builds an answer whose status is known by type. */
export const answerWith = <Status extends number, Body>(status: Status, body: Body) => ({ status, body });

export const errorAnswer = <Status extends number>(status: Status, code: string, message: string) =>
  answerWith(status, { error: { code, message } });
