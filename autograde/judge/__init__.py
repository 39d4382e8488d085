"""The trusted room: runs test cells, asks the student's room through probes, says what each test is worth."""
