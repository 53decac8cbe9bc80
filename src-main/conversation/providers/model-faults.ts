import type { ModelFailure } from '../../domain/ports/conversation/model.js';
import { OutsideProblem } from '../../domain/ports/outside.js';
import { objectIn, saidIn, textIn } from './answer-reader.js';

type Fault = ModelFailure['fault'];
/** A sentence, also where it begins with who it is about. */
export const failure = (fault: Fault, message: string): ModelFailure => ({
  fault,
  message: message.slice(0, 1).toUpperCase() + message.slice(1),
});

const TOO_LONG =
  /context[ _-]?(?:length|window|size)|too (?:long|many tokens)|maximum context|prompt is too long|exceeds? the (?:available )?context|input token count|request_too_large/iu;

/** Explains what a server's refusal means, and what to do. `said` is its own text. */
export function refusalFailure(
  status: number,
  body: string,
  who: string,
  model: string,
  again = 'later',
): ModelFailure {
  const said = saidInBody(body);
  const quoted = said === '' ? '' : ` It said: “${said}”`;
  if (status === 401)
    return failure('api-key', `${who} does not accept the API key. Enter it again under Settings, Model.${quoted}`);
  if (status === 413 || (status >= 400 && status < 500 && status !== 429 && TOO_LONG.test(`${said} ${typeIn(body)}`)))
    return failure(
      'too-long',
      `The conversation is too long for ${model}. Begin a new one, or choose a model that takes more.${quoted}`,
    );
  if (status === 404)
    return failure(
      'not-found',
      `${who} has no model “${model}” at this address. Choose another under Settings, Model.${quoted}`,
    );
  if (status === 429)
    return failure('rate-limit', `${who} takes no more requests for now (rate limit). Send again ${again}.${quoted}`);
  if (status >= 500 || status === 408)
    return failure('overloaded', `${who} is overloaded or out of order (${status}). Send again ${again}.${quoted}`);
  if (status === 403)
    return failure('refused', `${who} does not let this API key use ${model} (403). See your account there.${quoted}`);
  if (status === 402) return failure('refused', `${who} wants a payment first (402). See your account there.${quoted}`);
  return failure(
    'refused',
    `${who} refused the request (${status}). Look at the model and address under Settings, Model.${quoted}`,
  );
}

function errorIn(body: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body);
    // Google puts its errors into a list.
    return objectIn(Array.isArray(parsed) ? parsed[0] : parsed)['error'] ?? parsed;
  } catch {
    return '';
  }
}
const saidInBody = (body: string): string => saidIn(errorIn(body));
const typeIn = (body: string): string => {
  const error = objectIn(errorIn(body));
  return `${textIn(error['type'])} ${textIn(error['code'])}`;
};

/** Explains what kept a request or an answer from getting through. */
export function outsideFailure(error: unknown): ModelFailure {
  if (!(error instanceof OutsideProblem)) return failure('broke-off', brokeOff('it could not be read'));
  switch (error.kind) {
    case 'key':
      return failure('api-key', `${error.message} Keys are entered under Settings, Model.`);
    case 'unsendable':
      return failure('settings', error.message);
    case 'address':
      return failure('settings', `${error.message} See Settings, Model.`);
    case 'unreachable':
    case 'no-answer':
      return failure(
        'unreachable',
        `${error.message} Is the server running, and is this computer online? Then send again.`,
      );
    case 'redirect':
      return failure('unreachable', error.message);
    case 'stalled':
    case 'too-large':
    case 'not-understood':
    case 'broke-off':
      return failure('broke-off', brokeOff(error.message));
  }
}

export const brokeOff = (why: string): string =>
  `The answer broke off: ${why.replace(/[.\s]+$/u, '')}. What came is kept, and nothing of it ran. Retry asks again.`;
