import { Radio as Base } from '@base-ui/react/radio';
import './radio.css';

export interface RadioProps {
  readonly value: string;
  readonly disabled?: boolean;
  readonly 'aria-labelledby'?: string;
  readonly 'aria-describedby'?: string;
}

/** A choice of a group: its mark alone, words are beside it. */
export function Radio(props: RadioProps) {
  return (
    <Base.Root {...props} className="gh-radio">
      <Base.Indicator className="gh-radio-dot" />
    </Base.Root>
  );
}
