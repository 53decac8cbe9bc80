import type { Notice } from '#contract/window/notices.js';
import type { PackageChange } from '../../tools/packages/package-host.js';

export const REFUSED = 'domain-refused';

/** The same package as before, such as after a restart: nothing to tell. */
export const isSame = ({ from, to, added, changed, gone }: PackageChange): boolean =>
  from?.domainId === to.domainId && from.version === to.version && added.length + changed.length + gone.length === 0;

export const refusedNotice = (folder: string, problems: readonly string[], keeps: boolean): Notice => ({
  id: REFUSED,
  severity: 'error',
  title: 'The domain package was refused',
  text: keeps
    ? 'The previous one stays in force. Correct the package, and it is read again.'
    : 'No domain is served. Correct the package, and it is read again.',
  details: [folder, ...problems].join('\n'),
  dismissible: true,
});

export function takenNotice({ from, to, added, changed, gone }: PackageChange): Notice {
  const parts = [
    ...(added.length > 0 ? [`New: ${added.join(', ')}.`] : []),
    ...(changed.length > 0 ? [`Changed: ${changed.join(', ')}.`] : []),
    ...(gone.length > 0 ? [`Gone: ${gone.join(', ')}.`] : []),
  ];
  return {
    id: 'domain-taken',
    severity: 'info',
    title: `Domain ${to.domainId} ${to.version} is in force`,
    text: [`It was ${from?.domainId === to.domainId ? '' : `${from?.domainId} `}${from?.version}.`, ...parts].join(' '),
    details: null,
    dismissible: true,
  };
}
