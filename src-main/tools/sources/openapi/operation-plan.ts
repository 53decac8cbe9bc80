import type { Json } from '#contract/vocabulary/json.js';
import type { OutsideMethod } from '../../../domain/ports/outside.js';

/** The plan of an operation: all that it takes to request it. */
export interface OperationPlan {
  readonly method: OutsideMethod;
  /** The path, with `{name}` where a parameter goes; it may have a query of its own. */
  readonly path: string;
  /** Where it goes, without the path. */
  readonly server: string;
  readonly parameters: readonly ParameterPlan[];
  readonly body: BodyPlan | null;
}

export interface ParameterPlan {
  /** The parameter's name among the arguments. */
  readonly argument: string;
  /** The parameter's name in the request. */
  readonly name: string;
  readonly where: 'path' | 'query' | 'header';
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Whether it goes as JSON, whatever it is. */
  readonly isJson: boolean;
}

export const PARAMETER_STYLES = [
  'simple',
  'label',
  'matrix',
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
] as const;
export type ParameterStyle = (typeof PARAMETER_STYLES)[number];

export interface BodyPlan {
  readonly mediaType: string;
  readonly form: 'json' | 'urlencoded' | 'multipart' | 'text';
  /** The argument that is the whole body; null where each argument that is no parameter is a part of it. */
  readonly under: string | null;
  readonly isRequired: boolean;
  /** How parts of a form are written, where the document says it. */
  readonly parts: Readonly<Record<string, { readonly style: ParameterStyle; readonly explode: boolean }>>;
  /** Parts that are sent as files are. */
  readonly files: readonly string[];
}

/** Every field of a plan, whatever is added: what is accepted of an operation is all that decides about its request. */
type PinnedFields<T> = { readonly [Field in keyof T]-?: Json };

const pinParameter = (plan: ParameterPlan): PinnedFields<ParameterPlan> => ({
  argument: plan.argument,
  name: plan.name,
  where: plan.where,
  style: plan.style,
  explode: plan.explode,
  allowReserved: plan.allowReserved,
  isJson: plan.isJson,
});

const pinBody = (plan: BodyPlan): PinnedFields<BodyPlan> => ({
  mediaType: plan.mediaType,
  form: plan.form,
  under: plan.under,
  isRequired: plan.isRequired,
  parts: Object.fromEntries(Object.entries(plan.parts).map(([name, part]) => [name, pinPart(part)])),
  files: [...plan.files],
});

const pinPart = (plan: BodyPlan['parts'][string]): PinnedFields<BodyPlan['parts'][string]> => ({
  style: plan.style,
  explode: plan.explode,
});

export const pinPlan = (plan: OperationPlan): PinnedFields<OperationPlan> => ({
  method: plan.method,
  path: plan.path,
  server: plan.server,
  parameters: plan.parameters.map(pinParameter),
  body: plan.body === null ? null : pinBody(plan.body),
});
