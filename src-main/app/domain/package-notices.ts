import type { Notice } from '#contract/window/notices.js';
import type { PackageChange } from '../../tools/packages/package-acceptance.js';
import type { WaitingPackage } from '../../tools/packages/package-host.js';

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

export const WAITS = 'domain-waits';

/** Says in words what of the package nobody approved. */
export function waitsFor({ asks, offered, accepted }: WaitingPackage): string {
  const { domainId, version } = offered.package;
  const parts = [
    ...(asks === null || asks.added.length === 0 ? [] : [`new: ${asks.added.join(', ')}`]),
    ...(asks === null || asks.changed.length === 0 ? [] : [`changed: ${asks.changed.join(', ')}`]),
    ...(asks === null || asks.images.length === 0 ? [] : [`another image: ${asks.images.join(', ')}`]),
    ...(asks === null || asks.loosened.length === 0
      ? []
      : [`policies let more be reached: ${asks.loosened.join(', ')}`]),
    ...(accepted === null ? ['it isn’t the package that [domain] digest names'] : []),
  ];
  return `${domainId} ${version} (${parts.join('; ')})`;
}

export const waitsNotice = (folder: string, waiting: WaitingPackage, keeps: boolean): Notice => ({
  id: WAITS,
  severity: 'warning',
  title: 'A domain package waits for your review',
  text: `${waitsFor(waiting)}. ${keeps ? 'The one that you accepted serves until you accept this one.' : 'Nothing of it serves until you accept it.'} Review it under Tools.`,
  details: folder,
  dismissible: true,
});

/** Where nobody looks at a window. */
export const waitsWords = (folder: string, waiting: WaitingPackage, keeps: boolean): string =>
  `${folder}: ${waitsFor(waiting)} waits for a yes${keeps ? '; the one that was accepted serves until then' : ''}. Accept it under Tools, or say it in advance: [domain] digest = "sha256:${waiting.offered.files.digest}"`;

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
