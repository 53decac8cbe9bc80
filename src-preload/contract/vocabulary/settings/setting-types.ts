import Type from 'typebox';

const closed = { additionalProperties: false } as const;
export const table = <T extends Parameters<typeof Type.Object>[0]>(properties: T) => Type.Object(properties, closed);
export const bytes = (description: string) => Type.Integer({ minimum: 1, maximum: 2 ** 40, description });
export const seconds = (description: string) => Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description });
export const strings = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { description, maxItems: 1000 });

/** The values of what asks: for all, and for one agent. */
export const COMMANDS = ['ask', 'sandbox'] as const;
export const EDITS = ['ask', 'collect'] as const;
export const SECRETS = ['ask', 'deny'] as const;
