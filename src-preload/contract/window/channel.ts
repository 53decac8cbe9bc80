import Type, { type TSchema } from 'typebox';

export interface Channel<Request extends TSchema, Response> {
  readonly request: Request;
  /** Only what a person does themselves may ask this: it decides, loosens, or acts in their name. */
  readonly byHand: boolean;
  /** Never set: it carries the response's type. */
  readonly response?: Response;
}

export const channel =
  <Response>() =>
  <Request extends TSchema>(request: Request): Channel<Request, Response> => ({ request, byHand: false });

/** Answered only right after a key or click of the person, which a script in the page can't make. */
export const byHand =
  <Response>() =>
  <Request extends TSchema>(request: Request): Channel<Request, Response> => ({ request, byHand: true });

export const closed = { additionalProperties: false } as const;
export const nothing = Type.Object({}, closed);
export const id = Type.String({ minLength: 1, maxLength: 200 });
export const path = Type.String({ minLength: 1, maxLength: 4096 });
/** JSON in a string: main parses it itself, and can say where it is wrong. */
export const jsonText = Type.String({ maxLength: 4_000_000 });
