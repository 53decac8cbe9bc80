import Form from '@rjsf/core';
import type { IconButtonProps, RJSFSchema } from '@rjsf/utils';
import { ArrowDown, ArrowUp, Copy, Plus, Trash2 } from 'lucide-react';
import { Component, type ReactNode, useId, useMemo } from 'react';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { Button, IconButton } from '../../ui/form/button.js';
import { buildFormHints } from './form-hints.js';
import { schemaValidator } from './schema-validator.js';
import './schema-form.css';

export interface SchemaFormProps {
  readonly schema: JsonObject;
  /** Null while the text beside the form is not valid: the form waits. */
  readonly value: JsonObject | null;
  readonly label: string;
  readonly onChange: (value: JsonObject) => void;
}

const BEHAVIOR = {
  // Fields that the person leaves empty are left out: defaults are the tool's business, and an edit must show what it
  // changed.
  emptyObjectFields: 'skipDefaults',
  arrayMinItems: { populate: 'never' },
  constAsDefaults: 'never',
} as const;

const TEMPLATES = {
  ButtonTemplates: {
    AddButton: ({ onClick, disabled, id }: IconButtonProps) => (
      <Button
        size="small"
        icon={<Plus aria-hidden />}
        onClick={onClick}
        disabled={disabled}
        {...(id === undefined ? {} : { id })}
      >
        Add
      </Button>
    ),
    CopyButton: (props: IconButtonProps) => icon(props, 'Copy this item', <Copy aria-hidden />),
    MoveUpButton: (props: IconButtonProps) => icon(props, 'Move up', <ArrowUp aria-hidden />),
    MoveDownButton: (props: IconButtonProps) => icon(props, 'Move down', <ArrowDown aria-hidden />),
    RemoveButton: (props: IconButtonProps) => icon(props, 'Remove', <Trash2 aria-hidden />),
    ClearButton: (props: IconButtonProps) => icon(props, 'Clear', <Trash2 aria-hidden />),
  },
};

const icon = ({ onClick, disabled }: IconButtonProps, label: string, sign: ReactNode) => (
  <IconButton label={label} size="small" onClick={onClick} disabled={disabled}>
    {sign}
  </IconButton>
);

/** A form made from a tool's schema. See docs/adr/0006-forms.md for how it validates without evaluating code. */
export function SchemaForm({ schema, value, label, onChange }: SchemaFormProps) {
  const id = useId();
  const hints = useMemo(() => ({ ...buildFormHints(schema), 'ui:submitButtonOptions': { norender: true } }), [schema]);
  const titled = useMemo((): RJSFSchema => {
    // The schema's own title and description are above the form already.
    const { title, description, $schema, ...rest } = schema;
    void [title, description, $schema];
    return rest;
  }, [schema]);
  if (
    Object.keys((schema['properties'] ?? {}) as object).length === 0 &&
    schema['oneOf'] === undefined &&
    schema['anyOf'] === undefined
  ) {
    return <p className="secondary">This tool takes no arguments.</p>;
  }
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset would bring its own layout rules
    <div className="gh-form" role="group" aria-label={label} aria-disabled={value === null}>
      <FormBoundary key={JSON.stringify(schema).length}>
        <Form
          tagName="div"
          idPrefix={id}
          schema={titled}
          uiSchema={hints}
          formData={value ?? {}}
          disabled={value === null}
          validator={schemaValidator}
          templates={TEMPLATES}
          liveValidate="onChange"
          showErrorList={false}
          noHtml5Validate
          experimental_defaultFormStateBehavior={BEHAVIOR}
          onChange={({ formData }) => onChange((formData ?? {}) as JsonObject)}
        />
      </FormBoundary>
    </div>
  );
}

/** Schemas come from anywhere. One that the form can't draw leaves the text beside it, which can always be used. */
class FormBoundary extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError = () => ({ failed: true });
  override render() {
    return this.state.failed ? (
      <p className="secondary">This tool’s schema has no form. Write the arguments as JSON.</p>
    ) : (
      this.props.children
    );
  }
}
