import { text, ok, doc, json, path, query, header, type SampleDocument } from './document-parts.test-support.js';

/** Made for these tests after what public documents of such services have in them; none of it is theirs. */
export const MORE_DOCUMENTS: readonly SampleDocument[] = [
  {
    name: 'uploads: several parts, and bodies that no text is',
    document: doc({
      '/files': {
        post: {
          operationId: 'upload',
          requestBody: {
            required: true,
            content: {
              'multipart/form-data': {
                schema: {
                  type: 'object',
                  properties: { file: { type: 'string', format: 'binary' }, meta: { type: 'object' }, note: text },
                },
              },
            },
          },
          responses: ok,
        },
        put: {
          operationId: 'raw',
          requestBody: { required: true, content: { 'application/octet-stream': {} } },
          responses: ok,
        },
        patch: { operationId: 'xml', requestBody: { content: { 'application/xml': {} } }, responses: ok },
      },
      '/notes': {
        post: {
          operationId: 'plain',
          requestBody: { required: true, content: { 'text/plain': { schema: text } } },
          responses: ok,
        },
      },
    }),
    offered: ['upload', 'plain'],
    refused: [
      ['raw', 'octet-stream'],
      ['xml', 'application/xml'],
    ],
    cases: [
      {
        operation: 'upload',
        args: { file: 'hello', meta: { a: 1 }, note: 'n' },
        line: 'POST /v1/files',
        body: [
          '--B\r\ncontent-disposition: form-data; name="file"; filename="file"\r\ncontent-type: application/octet-stream\r\n\r\nhello\r\n',
          '--B\r\ncontent-disposition: form-data; name="meta"\r\ncontent-type: application/json\r\n\r\n{"a":1}\r\n',
          '--B\r\ncontent-disposition: form-data; name="note"\r\n\r\nn\r\n',
          '--B--\r\n',
        ].join(''),
      },
      {
        operation: 'plain',
        args: { body: 'one\ntwo' },
        line: 'POST /v1/notes',
        body: 'one\ntwo',
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      },
    ],
  },
  {
    name: 'search: JSON in a query, and what can’t be written there',
    document: doc({
      '/search': {
        get: {
          operationId: 'search',
          parameters: [
            { name: 'filter', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
          ],
          responses: ok,
        },
        post: {
          operationId: 'odd',
          parameters: [{ name: 'filter', in: 'query', content: { 'text/xml': {} } }],
          responses: ok,
        },
      },
    }),
    offered: ['search'],
    refused: [['odd', 'text/xml']],
    cases: [
      { operation: 'search', args: { filter: { a: [1] } }, line: 'GET /v1/search?filter=%7B%22a%22%3A%5B1%5D%7D' },
    ],
  },
  {
    name: 'cluster: patches, every method, and one that is never sent',
    document: doc({
      '/pods/{name}': Object.fromEntries([
        ...['get', 'put', 'post', 'delete', 'options', 'head', 'trace'].map((method) => [
          method,
          { operationId: `${method}Pod`, parameters: [path('name')], responses: ok },
        ]),
        [
          'patch',
          {
            operationId: 'patchPod',
            parameters: [path('name')],
            requestBody: {
              required: true,
              content: { 'application/merge-patch+json': { schema: { type: 'object' } } },
            },
            responses: ok,
          },
        ],
      ]),
    }),
    offered: ['getPod', 'putPod', 'postPod', 'deletePod', 'optionsPod', 'headPod', 'patchPod'],
    refused: [['tracePod', 'TRACE']],
    cases: [
      { operation: 'putPod', args: { name: 'p' }, line: 'PUT /v1/pods/p' },
      { operation: 'deletePod', args: { name: 'p' }, line: 'DELETE /v1/pods/p' },
      { operation: 'optionsPod', args: { name: 'p' }, line: 'OPTIONS /v1/pods/p' },
      { operation: 'headPod', args: { name: 'p' }, line: 'HEAD /v1/pods/p' },
      {
        operation: 'patchPod',
        args: { name: 'p', body: { spec: null } },
        line: 'PATCH /v1/pods/p',
        body: '{"spec":null}',
        headers: { 'content-type': 'application/merge-patch+json' },
      },
    ],
  },
  {
    name: 'hooks: webhooks and callbacks are no operations of the service; a path item elsewhere in the document is',
    document: doc(
      { '/subscribe': { $ref: '#/components/pathItems/Subscribe' } },
      {
        webhooks: { ping: { post: { operationId: 'ping', responses: ok } } },
        components: {
          pathItems: {
            Subscribe: {
              post: {
                operationId: 'subscribe',
                callbacks: { done: { '{$request.body#/url}': { post: { operationId: 'called', responses: ok } } } },
                requestBody: json({ type: 'object', properties: { url: text } }),
                responses: ok,
              },
            },
          },
        },
      },
      '3.1.0',
    ),
    offered: ['subscribe'],
    refused: [],
    cases: [
      {
        operation: 'subscribe',
        args: { url: 'https://e.example' },
        line: 'POST /v1/subscribe',
        body: '{"url":"https://e.example"}',
      },
    ],
  },
  {
    name: 'bank: sessions and headers that none can be',
    document: doc({
      '/accounts': {
        get: {
          operationId: 'accounts',
          parameters: [{ name: 'session', in: 'cookie', schema: text }, header('Cookie')],
          responses: ok,
        },
        post: {
          operationId: 'open',
          parameters: [{ name: 'session', in: 'cookie', required: true, schema: text }],
          responses: ok,
        },
        put: { operationId: 'odd', parameters: [header('x y')], responses: ok },
        patch: { operationId: 'nowhere', parameters: [{ name: 'a', in: 'matrix', schema: text }], responses: ok },
      },
    }),
    offered: ['accounts'],
    refused: [
      ['open', 'cookie session'],
      ['odd', 'header'],
      ['nowhere', 'matrix'],
    ],
    cases: [{ operation: 'accounts', args: {}, line: 'GET /v1/accounts' }],
  },
  {
    name: 'old: 3.0’s own words for schemas',
    document: doc(
      {
        '/things': {
          post: {
            operationId: 'old',
            requestBody: json({
              type: 'object',
              properties: {
                price: { type: 'number', minimum: 0, exclusiveMinimum: true },
                size: { type: 'number', maximum: 9, exclusiveMaximum: false },
                colour: { type: 'string', nullable: true, enum: ['red'] },
                maker: { nullable: true, allOf: [{ $ref: '#/components/schemas/Maker' }] },
                sample: { type: 'string', example: 'x' },
              },
            }),
            responses: ok,
          },
        },
      },
      {
        components: {
          schemas: { Maker: { type: 'object', discriminator: { propertyName: 'kind' }, properties: { kind: text } } },
        },
      },
    ),
    offered: ['old'],
    refused: [],
    cases: [
      {
        operation: 'old',
        args: { price: 1, colour: null, maker: null },
        line: 'POST /v1/things',
        body: '{"price":1,"colour":null,"maker":null}',
      },
    ],
  },
  {
    name: 'optional: a body that may be left out, and required ones that are empty',
    document: doc({
      '/jobs': {
        post: {
          operationId: 'start',
          requestBody: json({ type: 'object', required: ['a'], properties: { a: text, b: text } }, false),
          responses: ok,
        },
        put: { operationId: 'empty', requestBody: json({ type: 'object', properties: { a: text } }), responses: ok },
      },
    }),
    offered: ['start', 'empty'],
    refused: [],
    cases: [
      { operation: 'start', args: {}, line: 'POST /v1/jobs', body: '' },
      { operation: 'start', args: { a: 'x' }, line: 'POST /v1/jobs', body: '{"a":"x"}' },
      { operation: 'empty', args: {}, line: 'PUT /v1/jobs', body: '{}' },
    ],
  },
  {
    name: 'twins: one name in the path and in the query',
    document: doc({
      '/users/{id}': {
        get: { operationId: 'twin', parameters: [path('id'), query('id'), header('id')], responses: ok },
      },
      '/users/{a}/{b}': { get: { operationId: 'lacks', parameters: [path('a')], responses: ok } },
    }),
    offered: ['twin'],
    refused: [['lacks', '{b}']],
    cases: [
      {
        operation: 'twin',
        args: { id: 'p', query_id: 'q', header_id: 'h' },
        line: 'GET /v1/users/p?id=q',
        headers: { id: 'h' },
      },
    ],
  },
  {
    name: 'hostile: elsewhere, nowhere, prototypes, ways out',
    document: doc({
      '/remote': {
        post: { operationId: 'remote', requestBody: json({ $ref: 'https://evil.example/schema.json' }), responses: ok },
      },
      '/file': {
        post: {
          operationId: 'file',
          requestBody: json({ properties: { a: { $ref: 'file:///etc/passwd' } } }),
          responses: ok,
        },
      },
      '/beside': { post: { operationId: 'beside', requestBody: json({ $ref: '../other.yaml#/a' }), responses: ok } },
      '/missing': {
        get: { operationId: 'missing', parameters: [{ $ref: '#/components/parameters/none' }], responses: ok },
      },
      '/inherited': {
        get: { operationId: 'inherited', parameters: [{ $ref: '#/constructor/prototype' }], responses: ok },
      },
      '/proto': { get: { operationId: 'proto', parameters: [query('__proto__')], responses: ok } },
      '/a/../../admin': { get: { operationId: 'out', responses: ok } },
      '/a/%2e%2e/admin': { get: { operationId: 'outAgain', responses: ok } },
      'no-slash': { get: { operationId: 'noSlash', responses: ok } },
      '/frag#ment': { get: { operationId: 'fragment', responses: ok } },
      '/text': { get: 'text', post: { operationId: 'constructor', responses: ok } },
      '/elsewhere': { get: { operationId: 'elsewhere', servers: [{ url: 'https://evil.example' }], responses: ok } },
      '/item': 'text',
    }),
    offered: ['constructor', 'elsewhere'],
    refused: [
      ['remote', 'outside its document'],
      ['file', 'outside its document'],
      ['beside', 'outside its document'],
      ['missing', 'not there'],
      ['inherited', 'not there'],
      ['proto', '__proto__'],
      ['out', 'elsewhere'],
      ['outAgain', 'elsewhere'],
      ['noSlash', 'begin'],
      ['fragment', 'characters'],
      ['get__text', 'no object'],
      ['/item', 'no object'],
    ],
    // All goes where the settings say.
    cases: [{ operation: 'elsewhere', args: {}, line: 'GET /v1/elsewhere' }],
  },
  {
    name: 'weather: YAML, with anchors',
    document: [
      'openapi: 3.1.0',
      'info: { title: Weather, version: 1.2.3 }',
      'paths:',
      '  /forecast/{place}:',
      '    parameters: &place',
      '      - { name: place, in: path, required: true, schema: { type: string } }',
      '    get:',
      '      operationId: forecast',
      '      responses: { 200: { description: ok, content: { text/plain: {} } } }',
      '  /history/{place}:',
      '    parameters: *place',
      '    get:',
      '      operationId: history',
      '      responses: { 200: { description: ok } }',
    ].join('\n'),
    offered: ['forecast', 'history'],
    refused: [],
    cases: [
      { operation: 'forecast', args: { place: 'Zürich' }, line: 'GET /v1/forecast/Z%C3%BCrich' },
      { operation: 'history', args: { place: '💧' }, line: 'GET /v1/history/%F0%9F%92%A7' },
    ],
  },
];
