import { Button, type ButtonProps } from './button.js';

interface AnswerButtonProps extends Omit<ButtonProps, 'disabled'> {
  /** Where it is not, it stays a button that can have the focus, and does nothing. */
  readonly enabled: boolean;
  readonly shortcut?: string;
  /** Whether its words leave room for the key, too. */
  readonly showsKey?: boolean;
}

const ARIA_KEYS: Readonly<Record<string, string>> = { 'Ctrl+Enter': 'Control+Enter' };

export function AnswerButton({ enabled, shortcut, showsKey = true, onClick, children, ...rest }: AnswerButtonProps) {
  return (
    <Button
      {...rest}
      {...(enabled ? {} : { 'aria-disabled': true })}
      {...(shortcut === undefined ? {} : { 'aria-keyshortcuts': ARIA_KEYS[shortcut] ?? shortcut })}
      onClick={(event) => {
        if (enabled) onClick?.(event);
      }}
    >
      <span className="gh-answer-words">{children}</span>
      {shortcut === undefined || !showsKey ? null : <kbd> {shortcut}</kbd>}
    </Button>
  );
}
