import { OutsideProblem } from '../domain/ports/outside.js';
import { RefusedAddress } from '../platform/addresses/reachable-addresses.js';

const ERROR_MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host is known',
  EAI_AGAIN: 'the name can’t be looked up; is this computer online?',
  ENETUNREACH: 'there is no network',
  EHOSTUNREACH: 'there is no way to that host',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  HPE_HEADER_OVERFLOW: 'its headers are too long',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

export function describeRequestError(
  error: unknown,
  where: string,
  signal: AbortSignal,
  kind: 'unreachable' | 'broke-off' = 'unreachable',
  mayHaveArrived = true,
): Error {
  if (error instanceof OutsideProblem) return error;
  if (signal.aborted) return new OutsideProblem('broke-off', 'The request was stopped.', mayHaveArrived);
  if (error instanceof RefusedAddress)
    return new OutsideProblem('address', `${error.message}: nothing was sent.`, mayHaveArrived);
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const why = ERROR_MEANINGS[code] ?? (code === '' ? 'the connection failed' : code);
  const what = kind === 'unreachable' ? `${where} could not be reached` : `The answer of ${where} broke off`;
  return new OutsideProblem(kind, `${what}: ${why}.`, mayHaveArrived);
}
