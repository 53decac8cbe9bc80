import type { ReactNode } from 'react';
import './page.css';

export interface PageProps {
  readonly title: string;
  /** Actions on the whole page, beside the title. */
  readonly actions?: ReactNode;
  readonly about?: ReactNode;
  readonly children: ReactNode;
  /** The content scrolls itself (tables, terminals) instead of the page. */
  readonly fill?: boolean;
}

export function Page({ title, actions, about, children, fill = false }: PageProps) {
  return (
    <section className={fill ? 'gh-page gh-page-fill' : 'gh-page'} aria-label={title}>
      <header className="gh-page-head">
        <div>
          <h1>{title}</h1>
          {about === undefined ? null : <div className="gh-page-about">{about}</div>}
        </div>
        {actions === undefined ? null : <div className="gh-page-actions">{actions}</div>}
      </header>
      <div className="gh-page-body">{children}</div>
    </section>
  );
}

/** Terms and their values, aligned. */
export function Facts({ facts }: { readonly facts: readonly (readonly [term: string, value: ReactNode])[] }) {
  return (
    <dl className="gh-facts">
      {facts.map(([term, value]) => (
        <div key={term} className="gh-fact">
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
