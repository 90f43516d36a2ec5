// An object store on the npm package `s3rver`, with a bucket `files`, whose objects lie below a folder. It takes the key
// `S3RVER` with the secret `S3RVER`, whose signatures of version 4 it does not calculate, prints the port that it listens on, and ends with its standard
// input. Start: node serve.js FOLDER_WITH_NODE_MODULES FOLDER_OF_OBJECTS.
'use strict';

const path = require('path');

const [, , modules, directory] = process.argv;
const S3rver = require(path.join(modules, 'node', 'node_modules', 's3rver'));

const store = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  configureBuckets: [{ name: 'files' }],
});
store.run().then(({ port }) => process.stdout.write(`${port}\n`));
process.stdin.on('end', () => process.exit(0)).resume();
