BEGIN TRANSACTION;
CREATE TABLE annotations (batch TEXT NOT NULL, item TEXT NOT NULL, annotator TEXT NOT NULL, answer TEXT NOT NULL, digest TEXT NOT NULL, created TEXT NOT NULL, PRIMARY KEY (batch, item, annotator)) WITHOUT ROWID;
CREATE TABLE calls (key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, verb TEXT NOT NULL, prompt TEXT NOT NULL, rendered TEXT NOT NULL, result TEXT NOT NULL, seconds REAL NOT NULL, created TEXT NOT NULL, checksum TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
INSERT INTO "calls" VALUES('16f61a01c772a9343f9cfca4697c78ba2ce64be0096239ee9131de67cd28ab53','d86a192ba5cd5103','weigh','{"messages": [["user", "Question: Where will Nora look first, story 2?\nA. box\nB. drawer\n\nReply with the letter of the right answer, and nothing else."]], "choices": ["A", "B"], "labels": true}','user: Question: Where will Nora look first, story 2?
A. box
B. drawer

Reply with the letter of the right answer, and nothing else.
assistant: ','{"logprobs": {"A": -1.516713557590178, "B": -0.2477332313571416}, "tokens": {"A": ["A"], "B": ["B"]}, "bounds": {}, "usage": {"prompt": 0, "cached": 0, "written": 0}}',2.45115000249522089776e-05,'2026-11-19T21:27:34.018+00:00','c9db252a526da5a8');
INSERT INTO "calls" VALUES('206553799ab5e404d088ca8009122819b007bac70e91085c5c98a4f511e7cdff','d86a192ba5cd5103','weigh','{"messages": [["user", "Question: Where will Nora look first, story 1?\nA. box\nB. drawer\n\nReply with the letter of the right answer, and nothing else."]], "choices": ["A", "B"], "labels": true}','user: Question: Where will Nora look first, story 1?
A. box
B. drawer

Reply with the letter of the right answer, and nothing else.
assistant: ','{"logprobs": {"A": -0.48710202996933605, "B": -0.9529659769168468}, "tokens": {"A": ["A"], "B": ["B"]}, "bounds": {}, "usage": {"prompt": 0, "cached": 0, "written": 0}}',2.45115000249522089776e-05,'2026-11-19T21:27:34.018+00:00','85fe63ce931acd37');
INSERT INTO "calls" VALUES('308f6f30f7487125220b53725c18a8b1d85e612a6beb84da4443d064ad6993f6','d86a192ba5cd5103','weigh','{"messages": [["user", "Question: Where will Nora look first, story 0?\nA. box\nB. drawer\n\nReply with the letter of the right answer, and nothing else."]], "choices": ["A", "B"], "labels": true}','user: Question: Where will Nora look first, story 0?
A. box
B. drawer

Reply with the letter of the right answer, and nothing else.
assistant: ','{"logprobs": {"A": -0.6332225185688386, "B": -0.7568930057319878}, "tokens": {"A": ["A"], "B": ["B"]}, "bounds": {}, "usage": {"prompt": 0, "cached": 0, "written": 0}}',2.45115000249522089776e-05,'2026-11-19T21:27:34.018+00:00','79beb2e3359ef2d8');
INSERT INTO "calls" VALUES('54e565db45f9a9d258fc07c77c55e0cbeb85a745807babe9f418d35d3aaff392','d86a192ba5cd5103','weigh','{"messages": [["user", "Question: Where will Nora look first, story 0?\nA. drawer\nB. box\n\nReply with the letter of the right answer, and nothing else."]], "choices": ["A", "B"], "labels": true}','user: Question: Where will Nora look first, story 0?
A. drawer
B. box

Reply with the letter of the right answer, and nothing else.
assistant: ','{"logprobs": {"A": -1.5393959914849518, "B": -0.24144835231563772}, "tokens": {"A": ["A"], "B": ["B"]}, "bounds": {}, "usage": {"prompt": 0, "cached": 0, "written": 0}}',2.45115000249522089776e-05,'2026-11-19T21:27:34.018+00:00','c1f1c09130818805');
INSERT INTO "calls" VALUES('79a794c59b6974367a9d690d873ad97310231d6737dcbc8f4dd4c120f9159753','d86a192ba5cd5103','weigh','{"messages": [["user", "Question: Where will Nora look first, story 5?\nA. box\nB. drawer\n\nReply with the letter of the right answer, and nothing else."]], "choices": ["A", "B"], "labels": true}','user: Question: Where will Nora look first, story 5?
A. box
B. drawer

Reply with the letter of the right answer, and nothing else.
assistant: ','{"logprobs": {"A": -2.627878574030919, "B": -0.07497307481248272}, "tokens": {"A": ["A"], "B": ["B"]}, "bounds": {}, "usage": {"prompt": 0, "cached": 0, "written": 0}}',2.45115000249522089776e-05,'2026-11-19T21:27:34.018+00:00','d37b462d36fa0a5e');
INSERT INTO "calls" VALUES('847af3f49f68eb933dd3f0d447ce98b36ab7b9a38d3657ee3f27be38bd284945','d86a192ba5cd5103','weigh','{"messages": [["user", "Question: Where will Nora look first, story 3?\nA. box\nB. drawer\n\nReply with the letter of the right answer, and nothing else."]], "choices": ["A", "B"], "labels": true}','user: Question: Where will Nora look first, story 3?
A. box
B. drawer

Reply with the letter of the right answer, and nothing else.
assistant: ','{"logprobs": {"A": -0.32182937391965843, "B": -1.2903365848380284}, "tokens": {"A": ["A"], "B": ["B"]}, "bounds": {}, "usage": {"prompt": 0, "cached": 0, "written": 0}}',2.45115000249522089776e-05,'2026-11-19T21:27:34.018+00:00','619ceb48a9d3633f');
INSERT INTO "calls" VALUES('9c655a4c0acc6ac7ab56bb98868ade5c607db067f5a04c67cdfcd61354521298','d86a192ba5cd5103','weigh','{"messages": [["user", "Question: Where will Nora look first, story 4?\nA. box\nB. drawer\n\nReply with the letter of the right answer, and nothing else."]], "choices": ["A", "B"], "labels": true}','user: Question: Where will Nora look first, story 4?
A. box
B. drawer

Reply with the letter of the right answer, and nothing else.
assistant: ','{"logprobs": {"A": -0.4663680990194077, "B": -0.9869179964832301}, "tokens": {"A": ["A"], "B": ["B"]}, "bounds": {}, "usage": {"prompt": 0, "cached": 0, "written": 0}}',2.45115000249522089776e-05,'2026-11-19T21:27:34.018+00:00','9b84f353dc17e987');
INSERT INTO "calls" VALUES('a699d9c5730a340e688360ad2824557a1768923d009b8a6fe057081f9c5e8876','d86a192ba5cd5103','weigh','{"messages": [["user", "Question: Where will Nora look first, story 3?\nA. drawer\nB. box\n\nReply with the letter of the right answer, and nothing else."]], "choices": ["A", "B"], "labels": true}','user: Question: Where will Nora look first, story 3?
A. drawer
B. box

Reply with the letter of the right answer, and nothing else.
assistant: ','{"logprobs": {"A": -0.1679848286574879, "B": -1.8666985123563342}, "tokens": {"A": ["A"], "B": ["B"]}, "bounds": {}, "usage": {"prompt": 0, "cached": 0, "written": 0}}',2.45115000249522089776e-05,'2026-11-19T21:27:34.018+00:00','5ce82bfbcfe87fdc');
INSERT INTO "calls" VALUES('a7923e3bb8671483b91f835650c89b858de658253daeab9e52926a490cc8c66b','d86a192ba5cd5103','weigh','{"messages": [["user", "Question: Where will Nora look first, story 5?\nA. drawer\nB. box\n\nReply with the letter of the right answer, and nothing else."]], "choices": ["A", "B"], "labels": true}','user: Question: Where will Nora look first, story 5?
A. drawer
B. box

Reply with the letter of the right answer, and nothing else.
assistant: ','{"logprobs": {"A": -0.4927030616530396, "B": -0.9441056636574437}, "tokens": {"A": ["A"], "B": ["B"]}, "bounds": {}, "usage": {"prompt": 0, "cached": 0, "written": 0}}',2.45115000249522089776e-05,'2026-11-19T21:27:34.018+00:00','fb099682ce7031de');
INSERT INTO "calls" VALUES('c2dc8f70de2dedc86aecf2503b50aa7c323d7b0cc17774e7783d0497d8490f7d','d86a192ba5cd5103','weigh','{"messages": [["user", "Question: Where will Nora look first, story 1?\nA. drawer\nB. box\n\nReply with the letter of the right answer, and nothing else."]], "choices": ["A", "B"], "labels": true}','user: Question: Where will Nora look first, story 1?
A. drawer
B. box

Reply with the letter of the right answer, and nothing else.
assistant: ','{"logprobs": {"A": -0.4650749031244105, "B": -0.9890981668961659}, "tokens": {"A": ["A"], "B": ["B"]}, "bounds": {}, "usage": {"prompt": 0, "cached": 0, "written": 0}}',2.45115000249522089776e-05,'2026-11-19T21:27:34.018+00:00','1ea86b39bd523e6a');
INSERT INTO "calls" VALUES('d197293893b3d4995573fd0b84378debf48ecce180a6989c443c6174a6d0c31f','d86a192ba5cd5103','ask','{"messages": [["user", "Question: Where will Nora look first, story 1?\nA. box\nB. drawer\n\nReply with the letter of the right answer, and nothing else."]], "max_tokens": 64}','user: Question: Where will Nora look first, story 1?
A. box
B. drawer

Reply with the letter of the right answer, and nothing else.
assistant: ','{"text": "A", "finish": "stop", "usage": {"prompt": 25, "cached": 0, "written": 1}}',7.00209999801397e-05,'2026-11-19T21:27:34.034+00:00','83ec4eda88576ac5');
INSERT INTO "calls" VALUES('df194f3d25b6f1fc880dd8ef36f37c6479eaa322487e07d4b8d2ec406e5d1799','d86a192ba5cd5103','weigh','{"messages": [["user", "Question: Where will Nora look first, story 4?\nA. drawer\nB. box\n\nReply with the letter of the right answer, and nothing else."]], "choices": ["A", "B"], "labels": true}','user: Question: Where will Nora look first, story 4?
A. drawer
B. box

Reply with the letter of the right answer, and nothing else.
assistant: ','{"logprobs": {"A": -1.014321312916212, "B": -0.4504339250173116}, "tokens": {"A": ["A"], "B": ["B"]}, "bounds": {}, "usage": {"prompt": 0, "cached": 0, "written": 0}}',2.45115000249522089776e-05,'2026-11-19T21:27:34.018+00:00','22f772309e2f25e0');
INSERT INTO "calls" VALUES('e5b2ea8d268f27d716c285335af7d7269e471a6bddf5122dccdc9dc61fd65823','d86a192ba5cd5103','ask','{"messages": [["user", "Question: Where will Nora look first, story 0?\nA. box\nB. drawer\n\nReply with the letter of the right answer, and nothing else."]], "max_tokens": 64}','user: Question: Where will Nora look first, story 0?
A. box
B. drawer

Reply with the letter of the right answer, and nothing else.
assistant: ','{"text": "A", "finish": "stop", "usage": {"prompt": 25, "cached": 0, "written": 1}}',7.00209999801397e-05,'2026-11-19T21:27:34.034+00:00','a78f1f879f18490b');
INSERT INTO "calls" VALUES('e8926a7b09c649c31174ef935b0db42f6a9ff18162d372bb875ed548f52741ef','d86a192ba5cd5103','weigh','{"messages": [["user", "Question: Where will Nora look first, story 2?\nA. drawer\nB. box\n\nReply with the letter of the right answer, and nothing else."]], "choices": ["A", "B"], "labels": true}','user: Question: Where will Nora look first, story 2?
A. drawer
B. box

Reply with the letter of the right answer, and nothing else.
assistant: ','{"logprobs": {"A": -2.4117648441586637, "B": -0.09393374432762247}, "tokens": {"A": ["A"], "B": ["B"]}, "bounds": {}, "usage": {"prompt": 0, "cached": 0, "written": 0}}',2.45115000249522089776e-05,'2026-11-19T21:27:34.018+00:00','14e070ac62bdbe24');
INSERT INTO "calls" VALUES('e8cdd0f92b32f4ca380acf8eeaa6b30db42e7d78bdc636e9193ac5b4a3fd8d66','d86a192ba5cd5103','ask','{"messages": [["user", "Question: Where will Nora look first, story 2?\nA. drawer\nB. box\n\nReply with the letter of the right answer, and nothing else."]], "max_tokens": 64}','user: Question: Where will Nora look first, story 2?
A. drawer
B. box

Reply with the letter of the right answer, and nothing else.
assistant: ','{"text": "A", "finish": "stop", "usage": {"prompt": 25, "cached": 0, "written": 1}}',7.00209999801397e-05,'2026-11-19T21:27:34.034+00:00','773aa2c20188739e');
CREATE TABLE columns (run TEXT PRIMARY KEY, seal TEXT NOT NULL, data TEXT NOT NULL);
INSERT INTO "columns" VALUES('11b6d20014','bd1929a370d5b59c','');
INSERT INTO "columns" VALUES('13e6f7744b','3653377801b1b5ce','');
CREATE TABLE models (fingerprint TEXT PRIMARY KEY, name TEXT NOT NULL, identity TEXT NOT NULL);
INSERT INTO "models" VALUES('d86a192ba5cd5103','m','{"backend": "scripted", "name": "m"}');
CREATE TABLE records (run TEXT NOT NULL, position INTEGER NOT NULL, item TEXT NOT NULL, calls TEXT NOT NULL, score TEXT NOT NULL, checksum TEXT NOT NULL DEFAULT '', PRIMARY KEY (run, position)) WITHOUT ROWID;
INSERT INTO "records" VALUES('11b6d20014',0,'{"id": "i0", "question": "Where will Nora look first, story 0?", "answer": "drawer", "choices": ["drawer", "box"], "tags": {"story": "s0", "twin": "s0", "false_belief": true}}','["308f6f30f7487125220b53725c18a8b1d85e612a6beb84da4443d064ad6993f6", "54e565db45f9a9d258fc07c77c55e0cbeb85a745807babe9f418d35d3aaff392"]','{"verdict": "incorrect", "value": 0.0, "answer": "box", "why": "the right choice has S = 0.329", "detail": {"mass": 1.0, "S_orders": [0.46912172354625437, 0.2145106285515104], "b": -0.5871385760030824, "consistent": true, "S": 0.3294200914599103}}','18291d0c60a9f93c');
INSERT INTO "records" VALUES('11b6d20014',1,'{"id": "i1", "question": "Where will Nora look first, story 1?", "answer": "box", "choices": ["drawer", "box"], "tags": {"story": "s0", "twin": "s0", "false_belief": false}}','["206553799ab5e404d088ca8009122819b007bac70e91085c5c98a4f511e7cdff", "c2dc8f70de2dedc86aecf2503b50aa7c323d7b0cc17774e7783d0497d8490f7d"]','{"verdict": "incorrect", "value": 0.0, "answer": "drawer", "why": "the right choice has S = 0.493", "detail": {"mass": 1.0, "S_orders": [0.6144043420903288, 0.37191194233026464], "b": 0.4949436053596331, "consistent": false, "S": 0.4927305976563751}}','fc6bb9789eefd6e8');
INSERT INTO "records" VALUES('11b6d20014',2,'{"id": "i2", "question": "Where will Nora look first, story 2?", "answer": "drawer", "choices": ["drawer", "box"], "tags": {"story": "s1", "twin": "s1", "false_belief": true}}','["e8926a7b09c649c31174ef935b0db42f6a9ff18162d372bb875ed548f52741ef", "16f61a01c772a9343f9cfca4697c78ba2ce64be0096239ee9131de67cd28ab53"]','{"verdict": "incorrect", "value": 0.0, "answer": "box", "why": "the right choice has S = 0.372", "detail": {"mass": 1.0, "S_orders": [0.08965692436473695, 0.7805681466108693], "b": -1.7934057130320387, "consistent": false, "S": 0.3718180138644678}}','caad5b4d92e5cb7a');
INSERT INTO "records" VALUES('11b6d20014',3,'{"id": "i3", "question": "Where will Nora look first, story 3?", "answer": "box", "choices": ["drawer", "box"], "tags": {"story": "s1", "twin": "s1", "false_belief": false}}','["847af3f49f68eb933dd3f0d447ce98b36ab7b9a38d3657ee3f27be38bd284945", "a699d9c5730a340e688360ad2824557a1768923d009b8a6fe057081f9c5e8876"]','{"verdict": "incorrect", "value": 0.0, "answer": "drawer", "why": "the right choice has S = 0.410", "detail": {"mass": 1.0, "S_orders": [0.7248218532913127, 0.15463334006548346], "b": 1.3336104473086081, "consistent": false, "S": 0.409724780076454}}','679dd2461d32bb08');
INSERT INTO "records" VALUES('11b6d20014',4,'{"id": "i4", "question": "Where will Nora look first, story 4?", "answer": "drawer", "choices": ["drawer", "box"], "tags": {"story": "s2", "twin": "s2", "false_belief": true}}','["df194f3d25b6f1fc880dd8ef36f37c6479eaa322487e07d4b8d2ec406e5d1799", "9c655a4c0acc6ac7ab56bb98868ade5c607db067f5a04c67cdfcd61354521298"]','{"verdict": "incorrect", "value": 0.0, "answer": "box", "why": "the right choice has S = 0.368", "detail": {"mass": 1.0, "S_orders": [0.36264847116384363, 0.37272365826116194], "b": -0.02166874521753903, "consistent": true, "S": 0.3676716205326066}}','1b4204e965d79fc7');
INSERT INTO "records" VALUES('11b6d20014',5,'{"id": "i5", "question": "Where will Nora look first, story 5?", "answer": "box", "choices": ["drawer", "box"], "tags": {"story": "s2", "twin": "s2", "false_belief": false}}','["79a794c59b6974367a9d690d873ad97310231d6737dcbc8f4dd4c120f9159753", "a7923e3bb8671483b91f835650c89b858de658253daeab9e52926a490cc8c66b"]','{"verdict": "incorrect", "value": 0.0, "answer": "drawer", "why": "the right choice has S = 0.182", "detail": {"mass": 1.0, "S_orders": [0.07223153366781569, 0.3890273366542155], "b": -1.0507514486070162, "consistent": true, "S": 0.1821044745448685}}','31a42062d304af5a');
INSERT INTO "records" VALUES('13e6f7744b',0,'{"id": "i0", "question": "Where will Nora look first, story 0?", "answer": "drawer", "choices": ["drawer", "box"], "tags": {"story": "s0", "twin": "s0", "false_belief": true}}','["e5b2ea8d268f27d716c285335af7d7269e471a6bddf5122dccdc9dc61fd65823"]','{"verdict": "incorrect", "value": 0.0, "answer": "box", "why": "says A", "detail": {}}','e0c9af441cfb1321');
INSERT INTO "records" VALUES('13e6f7744b',1,'{"id": "i1", "question": "Where will Nora look first, story 1?", "answer": "box", "choices": ["drawer", "box"], "tags": {"story": "s0", "twin": "s0", "false_belief": false}}','["d197293893b3d4995573fd0b84378debf48ecce180a6989c443c6174a6d0c31f"]','{"verdict": "correct", "value": 1.0, "answer": "box", "why": "says A", "detail": {}}','622a8bfb11e8df20');
INSERT INTO "records" VALUES('13e6f7744b',2,'{"id": "i2", "question": "Where will Nora look first, story 2?", "answer": "drawer", "choices": ["drawer", "box"], "tags": {"story": "s1", "twin": "s1", "false_belief": true}}','["e8cdd0f92b32f4ca380acf8eeaa6b30db42e7d78bdc636e9193ac5b4a3fd8d66"]','{"verdict": "correct", "value": 1.0, "answer": "drawer", "why": "says A", "detail": {}}','d88ea77ad41a8051');
CREATE TABLE runs (id TEXT PRIMARY KEY, suite TEXT NOT NULL, digest TEXT NOT NULL, model TEXT NOT NULL, fingerprint TEXT NOT NULL, prompt TEXT NOT NULL, score TEXT NOT NULL, manifest TEXT NOT NULL, created TEXT NOT NULL, finished TEXT NOT NULL, checksum TEXT NOT NULL DEFAULT '', written INTEGER NOT NULL DEFAULT 0);
INSERT INTO "runs" VALUES('11b6d20014','pairs','f8f0fe78b161561d','m','d86a192ba5cd5103','direct','letters','{"otherminds": "0.3.0", "python": "3.11.7", "platform": "Linux-6.18.44-fc-v657-x86_64-with-glibc2.36", "started": "2026-11-19T21:27:33.984+00:00", "ended": "2026-11-19T21:27:34.019+00:00", "suite": "pairs", "study": "", "digest": "f8f0fe78b161561d", "items": 6, "prompt": "direct", "score": "letters", "seed": 0, "limit": null, "model": "m", "fingerprint": "d86a192ba5cd5103", "identity": {"backend": "scripted", "name": "m"}, "calls": {"reused": 0, "made": 12, "errors": 0, "retried": 0, "waited": 0.0, "in_all": {"sittings": 1, "made": 12, "errors": 0, "retried": 0, "waited": 0.0, "usage": {"prompt": 0, "cached": 0, "written": 0}}}, "usage": {"prompt": 0, "cached": 0, "written": 0}, "stopped": "", "cannot": []}','2026-11-19T21:27:33.984+00:00','2026-11-19T21:27:34.020+00:00','ff7c82b0429c4f81',2);
INSERT INTO "runs" VALUES('13e6f7744b','pairs','f8f0fe78b161561d','m','d86a192ba5cd5103','direct','text','{"otherminds": "0.3.0", "python": "3.11.7", "platform": "Linux-6.18.44-fc-v657-x86_64-with-glibc2.36", "started": "2026-11-19T21:27:34.032+00:00", "ended": "2026-11-19T21:27:34.060+00:00", "suite": "pairs", "study": "", "digest": "f8f0fe78b161561d", "items": 6, "prompt": "direct", "score": "text", "seed": 0, "limit": null, "model": "m", "fingerprint": "d86a192ba5cd5103", "identity": {"backend": "scripted", "name": "m"}, "calls": {"reused": 0, "made": 3, "errors": 0, "retried": 0, "waited": 0.0, "in_all": {"sittings": 1, "made": 3, "errors": 0, "retried": 0, "waited": 0.0, "usage": {"prompt": 75, "cached": 0, "written": 3}}}, "usage": {"prompt": 75, "cached": 0, "written": 3}, "stopped": "the budget of 3 calls is spent", "cannot": []}','2026-11-19T21:27:34.032+00:00','','f99be8d10a13e983',4);
CREATE TABLE sittings (id INTEGER PRIMARY KEY, work TEXT NOT NULL, began TEXT NOT NULL, made INTEGER NOT NULL, errors INTEGER NOT NULL, retried INTEGER NOT NULL, waited REAL NOT NULL, prompt INTEGER NOT NULL, cached INTEGER NOT NULL, written INTEGER NOT NULL);
INSERT INTO "sittings" VALUES(1,'11b6d20014','2026-11-19T21:27:34.018+00:00',12,0,0,0.0,0,0,0);
INSERT INTO "sittings" VALUES(2,'13e6f7744b','2026-11-19T21:27:34.034+00:00',3,0,0,0.0,75,0,3);
COMMIT;
