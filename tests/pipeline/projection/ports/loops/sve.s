gather:
.LFB979:
	cmp	x0, 0
	ble	.L25
	mov	x4, 0
.L27:
	ldrsw	x5, [x2, x4, lsl 2]
	ldr	d0, [x1, x5, lsl 3]
	fadd	d0, d0, d0
	str	d0, [x3, x4, lsl 3]
	add	x4, x4, 1
	cmp	x0, x4
	bne	.L27
.L25:
	ret
.LFE979:
