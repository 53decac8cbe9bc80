import { Check, Copy } from 'lucide-react';
import { createContext, useContext, useEffect, useState } from 'react';
import { Button, IconButton } from '../form/button.js';

/** How text reaches the clipboard; the app's frame provides it, so that primitives know no border. */
export const CopyContext = createContext<(text: string) => Promise<boolean>>(() => Promise.resolve(false));

export interface CopyButtonProps {
  readonly text: string | (() => string);
  readonly label: string;
  readonly iconOnly?: boolean;
}

export function CopyButton({ text, label, iconOnly = false }: CopyButtonProps) {
  const copy = useContext(CopyContext);
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return undefined;
    const timer = setTimeout(() => setState('idle'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const onClick = () => {
    void copy(typeof text === 'string' ? text : text()).then((ok) => setState(ok ? 'copied' : 'failed'));
  };
  const icon = state === 'copied' ? <Check aria-hidden /> : <Copy aria-hidden />;
  const words = state === 'copied' ? 'Copied' : state === 'failed' ? 'Couldn’t copy' : label;
  if (iconOnly) {
    return (
      <IconButton label={words} size="small" onClick={onClick}>
        {icon}
      </IconButton>
    );
  }
  return (
    <Button size="small" tone="quiet" icon={icon} onClick={onClick}>
      {words}
    </Button>
  );
}
