import Type, { type Static } from 'typebox';
import { DIALECT } from './file-tool-parts.js';

/** Builds the input of tools that act on the files of an earlier call: on all of them, or on some. */
export const filesOfCallInput = (call: string, path: string, paths: string) =>
  Type.Object(filesOfCallFields(call, path, paths), DIALECT);

export const filesOfCallFields = (call: string, path: string, paths: string) => ({
  callId: Type.String({ minLength: 1, maxLength: 200, description: call }),
  paths: Type.Optional(
    Type.Array(Type.String({ minLength: 1, description: path }), {
      minItems: 1,
      maxItems: 100_000,
      uniqueItems: true,
      description: paths,
    }),
  ),
});

export interface FilesOfCall {
  readonly callId: string;
  /** Null: all of them. */
  readonly paths: readonly string[] | null;
}

export const filesOfCall = ({ callId, paths }: Static<ReturnType<typeof filesOfCallInput>>): FilesOfCall => ({
  callId,
  paths: paths ?? null,
});
