import type { ErrorSchema, RJSFSchema, RJSFValidationError, ValidationData, ValidatorType } from '@rjsf/utils';
import { Check, Errors } from 'typebox/schema';
import type { TLocalizedValidationError } from 'typebox/error';

/**
 * Validation for the forms. Their library's own validators compile schemas into code, which the page's policy forbids;
 * this one interprets them. It only helps the person while they type: what counts is main's answer, which checks every
 * call again with its own validator.
 */
export const schemaValidator: ValidatorType = {
  isValid: (schema, formData, rootSchema) => passes(withDefinitions(schema, rootSchema), formData),
  rawValidation: (schema, formData) => ({ errors: findProblems(schema, formData) as never[] }),
  validateFormData: (formData: unknown, schema): ValidationData<unknown> => {
    const errors = findProblems(schema, formData);
    return { errors: [...errors], errorSchema: buildErrorSchema(errors) };
  },
};

/** A part of a schema still refers to the whole one’s definitions. */
function withDefinitions(schema: RJSFSchema, root: RJSFSchema): RJSFSchema {
  if (typeof schema !== 'object') return schema;
  const { $defs, definitions } = root;
  return {
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    ...schema,
  };
}

function passes(schema: RJSFSchema, value: unknown): boolean {
  try {
    return Check(schema, value);
  } catch {
    // A schema that can't be read is main's to refuse, with its reason.
    return false;
  }
}

function findProblems(schema: RJSFSchema, value: unknown): readonly RJSFValidationError[] {
  try {
    const [, errors] = Errors(schema, value ?? {});
    return errors.flatMap(asFormErrors);
  } catch {
    return [];
  }
}

/** A missing property is a problem of that property, where the person can put it right. */
function asFormErrors(error: TLocalizedValidationError): readonly RJSFValidationError[] {
  const base = { name: error.keyword, schemaPath: error.schemaPath };
  const path = error.instancePath;
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((name) => problem(`${path}/${name}`, 'Required', base));
  }
  if (error.keyword === 'additionalProperties') {
    return error.params.additionalProperties.map((name) => problem(path, `“${name}” is not one of its fields`, base));
  }
  return [problem(path, describeProblem(error), base)];
}

const problem = (
  pointer: string,
  message: string,
  base: { name: string; schemaPath: string },
): RJSFValidationError => ({
  ...base,
  property: pointer.replaceAll('/', '.'),
  message,
  stack: message,
});

function describeProblem(error: TLocalizedValidationError): string {
  const { keyword, params, message } = error;
  if (keyword === 'minLength') return params.limit === 1 ? 'Required' : `At least ${params.limit} characters`;
  if (keyword === 'maxLength') return `At most ${params.limit} characters`;
  if (keyword === 'minimum') return `At least ${params.limit}`;
  if (keyword === 'maximum') return `At most ${params.limit}`;
  if (keyword === 'type') return `Must be ${String(params.type)}`;
  if (keyword === 'enum') return 'Not one of the choices';
  return sentence(message);
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function buildErrorSchema(errors: readonly RJSFValidationError[]): ErrorSchema {
  const root: ErrorSchema = {};
  for (const { property = '', message = '' } of errors) {
    let node = root;
    for (const part of property.split('.')) {
      if (part === '') continue;
      const children = node as Record<string, ErrorSchema | undefined>;
      node = children[part] ??= {};
    }
    // The form library's own name for a field's messages.
    // oxlint-disable-next-line no-underscore-dangle
    (node.__errors ??= []).push(message);
  }
  return root;
}
