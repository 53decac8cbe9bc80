import { createContext, type ReactNode, useContext } from 'react';
import { Visible } from '../../../ui/text/visible.js';

export const OpenLink = createContext<(address: string) => void>(() => {});

/** Only pages of the web can be opened; the address as it would be opened, null for anything else. */
export function parseWebAddress(written: string): string | null {
  const address = /^www\./iu.test(written) ? `https://${written}` : written;
  if (!/^https?:\/\//iu.test(address) || !URL.canParse(address)) return null;
  const { href, username, password } = new URL(address);
  return username === '' && password === '' ? href : null;
}

/**
 * A link of a model, which may lead anywhere: a press shows the whole address first. Only pages of the web become
 * links.
 */
export function WebLink({ address, children }: { readonly address: string; readonly children: ReactNode }) {
  const open = useContext(OpenLink);
  const leadsTo = parseWebAddress(address);
  if (leadsTo === null)
    return (
      <span>
        {children} (<Visible text={address.slice(0, 300)} />)
      </span>
    );
  return (
    <a
      href="#open-link"
      title={leadsTo.slice(0, 300)}
      onClick={(event) => {
        event.preventDefault();
        open(leadsTo);
      }}
      onAuxClick={(event) => event.preventDefault()}
      draggable={false}
    >
      {children}
    </a>
  );
}
