import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import { FileText, Plug, X } from 'lucide-react';
import type { UnsentMessage } from '#contract/window/conversation/conversation.js';
import { IconButton } from '../../../ui/form/button.js';
import { Visible } from '../../../ui/text/visible.js';

export interface AttachmentsProps {
  readonly draft: UnsentMessage;
  readonly onChange: (change: Partial<UnsentMessage>) => void;
}

/** The attachments of the message, each with the way to leave it out. */
export function Attachments({ draft: { files, pictures, resources = [] }, onChange }: AttachmentsProps) {
  if (files.length + pictures.length + resources.length === 0) return null;
  return (
    <ul className="gh-attached" aria-label="Attached">
      {files.map((path) => (
        <li key={path}>
          <FileText aria-hidden />
          <span className="mono">
            <Visible text={path} />
          </span>
          <IconButton
            label={`Remove ${toVisibleLine(path)}`}
            size="small"
            onClick={() => onChange({ files: files.filter((each) => each !== path) })}
          >
            <X aria-hidden />
          </IconButton>
        </li>
      ))}
      {resources.map((resource) => (
        <li key={`${resource.source} ${resource.uri}`} title={toVisibleLine(resource.uri)}>
          <Plug aria-hidden />
          <span>
            <span className="secondary">{resource.source}: </span>
            <Visible text={resource.name} />
          </span>
          <IconButton
            label={`Remove ${toVisibleLine(resource.name)} of ${resource.source}`}
            size="small"
            onClick={() => onChange({ resources: resources.filter((each) => each !== resource) })}
          >
            <X aria-hidden />
          </IconButton>
        </li>
      ))}
      {pictures.map(({ mediaType, base64 }, at) => (
        <li key={at}>
          <img src={`data:${mediaType};base64,${base64}`} alt={`Attached ${at + 1}`} />
          <IconButton
            label={`Remove picture ${at + 1}`}
            size="small"
            onClick={() => onChange({ pictures: pictures.filter((_, index) => index !== at) })}
          >
            <X aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
